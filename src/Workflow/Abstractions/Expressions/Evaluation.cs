namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A budget of work for evaluations that belong together. One unit is about 20 ns: a value visited or made, or 16 characters. An expression
/// costs as many units as it has parts; lists and texts that are copied, compared or searched cost by their length. Work past the budget is
/// not done: its result is null, and <see cref="IsExceeded"/> says that nothing of it counts. For one thread.
/// </summary>
/// <param name="limit">Units in all.</param>
public sealed class Evaluation(long limit)
{
    /// <summary>Unlimited.</summary>
    public Evaluation()
        : this(long.MaxValue)
    {
    }

    public long Limit => limit;

    /// <summary>Units asked for since the last <see cref="Begin"/>; above the limit once it is exceeded.</summary>
    public long Spent { get; private set; }

    public bool IsExceeded => Spent > limit;

    /// <summary>What the nodes read.</summary>
    internal IReadOnlyDictionary<string, Value> Variables { get; private set; } = NoVariables.Instance;

    /// <summary>Units that writing the value out as JSON takes.</summary>
    public static long WorkOfWriting(Value value) => value.Weight;

    /// <summary>Starts over with the whole budget.</summary>
    public void Begin() => Spent = 0;

    /// <summary>Takes the units from the budget.</summary>
    /// <returns>False when there are not so many left: the work must not be done.</returns>
    public bool TrySpend(long units)
    {
        Spent += Math.Min(units, long.MaxValue - Spent);
        return Spent <= limit;
    }

    internal Value Evaluate(Node root, IReadOnlyDictionary<string, Value> variables)
    {
        Variables = variables;
        return TrySpend(root.Cost) ? root.Evaluate(this) : Value.Null;
    }
}

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
        ValueKind.Context => left.AsContext().Count == right.AsContext().Count ? Math.Min(left.Weight, right.Weight) >> 1 : 0,
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
