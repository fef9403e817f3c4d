namespace Workflow.Abstractions.Expressions;

/// <summary>What operations cost whose work depends on their operands.</summary>
internal static class Work
{
    /// <summary>Of a function that reads and changes its text.</summary>
    public static long Read(Value value) => value.Kind == ValueKind.String ? value.AsString().Length >> 2 : 0;

    /// <summary>Of joining texts: a copy takes next to nothing.</summary>
    public static long Join(Value left, Value right) => (left.AsString().Length + (long)right.AsString().Length) >> 5;

    /// <summary>Of making a text of the value.</summary>
    public static long Text(Value value) => value.Kind switch
    {
        ValueKind.List or ValueKind.Context => Evaluation.WorkOfWriting(value),
        ValueKind.Number => 16,
        _ => 0,
    };

    /// <summary>Of comparing two values: nothing where a glance decides.</summary>
    public static long Compare(Value left, Value right) => left.Kind != right.Kind ? 0 : left.Kind switch
    {
        ValueKind.String => Math.Min(left.AsString().Length, right.AsString().Length) >> 4,
        ValueKind.List => left.AsList().Count == right.AsList().Count ? Math.Min(left.Weight, right.Weight) >> 1 : 0,
        ValueKind.Context =>
            left.AsContext().Count == right.AsContext().Count ? Math.Min(left.Weight, right.Weight) >> 1 : 0,
        _ => 0,
    };

    /// <summary>Of looking for a value in a list or text.</summary>
    public static long Search(Value target, Value item) => target.Kind switch
    {
        ValueKind.List => target.AsList().Count + (item.Kind switch
        {
            ValueKind.String => target.Weight >> 4,
            ValueKind.List or ValueKind.Context => target.Weight >> 1,
            _ => 0,
        }),
        ValueKind.String => Read(target) + Read(item),
        _ => Compare(target, item),
    };

    /// <summary>Of a function over many values: lists among them are copied, texts joined.</summary>
    public static long Many(IReadOnlyList<Value> items)
    {
        long work = items.Count;
        for (var i = 0; i < items.Count; i++)
        {
            work += items[i].Kind switch
            {
                ValueKind.String => items[i].AsString().Length >> 4,
                ValueKind.List => items[i].AsList().Count,
                _ => 0,
            };
        }

        return work;
    }
}
