namespace Workflow.Abstractions.Expressions;

/// <summary>A member of a context; of a list, the members of its items (the projection of FEEL); of anything else, null.</summary>
internal sealed class MemberNode(Node target, string name) : Node(Above(target))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = target.Evaluate(evaluation);
        return value.Kind != ValueKind.List ? Of(value)
            : evaluation.TrySpend(2L * value.AsList().Count) ? Project(value.AsList())
            : Value.Null;
    }

    private Value Of(Value value) =>
        value.Kind == ValueKind.Context && value.AsContext().TryGetValue(name, out var member) ? member : Value.Null;

    private Value Project(IReadOnlyList<Value> items)
    {
        var members = new Value[items.Count];
        for (var i = 0; i < members.Length; i++)
        {
            members[i] = Of(items[i]);
        }

        return Composite.Of(members);
    }
}

/// <summary>The item at a position, from 1, or from -1 backwards; null when there is none or the target is not a list.</summary>
internal sealed class IndexNode(Node target, Node index) : Node(Above(target, index))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var list = target.Evaluate(evaluation);
        var position = index.Evaluate(evaluation);
        if (list.Kind != ValueKind.List || position.Kind != ValueKind.Number)
        {
            return Value.Null;
        }

        var items = list.AsList();
        var number = position.AsNumber();
        if (number != decimal.Truncate(number) || number == 0 || Math.Abs(number) > items.Count)
        {
            return Value.Null;
        }

        return items[number > 0 ? (int)number - 1 : items.Count + (int)number];
    }
}

internal sealed class ListNode(Node[] items) : Node(Above(1 + items.Length, items))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var values = new Value[items.Length];
        for (var i = 0; i < values.Length; i++)
        {
            values[i] = items[i].Evaluate(evaluation);
        }

        return Composite.Of(values);
    }
}

internal sealed class ContextNode(string[] names, Node[] values) : Node(Above(1 + (3 * names.Length), values))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var members = new Dictionary<string, Value>(names.Length, StringComparer.Ordinal);
        for (var i = 0; i < names.Length; i++)
        {
            members[names[i]] = values[i].Evaluate(evaluation);
        }

        return Composite.Of(members);
    }
}
