namespace Workflow.Abstractions.Expressions;

internal sealed class CallOneNode(Func<Value, Value> body, Func<Value, long> work, Node argument) : Node(Above(4, argument))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = argument.Evaluate(evaluation);
        return evaluation.TrySpend(work(value)) ? body(value) : Value.Null;
    }
}

internal sealed class CallTwoNode(Func<Value, Value, Value> body, Node first, Node second) : Node(Above(4, first, second))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var (one, other) = (first.Evaluate(evaluation), second.Evaluate(evaluation));
        return evaluation.TrySpend(Work.Search(one, other)) ? body(one, other) : Value.Null;
    }
}

internal sealed class CallThreeNode(
    Func<Value, Value, Value, Value> body, Node first, Node second, Node third) : Node(Above(4, first, second, third))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = first.Evaluate(evaluation);
        return evaluation.TrySpend(Work.Read(value))
            ? body(value, second.Evaluate(evaluation), third.Evaluate(evaluation))
            : Value.Null;
    }
}

/// <summary>A call over any number of items: those of the one argument when it is a list, else the arguments themselves.</summary>
internal sealed class AggregateNode(Func<IReadOnlyList<Value>, Value> body, Node[] arguments) : Node(Above(4, arguments))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var values = new Value[arguments.Length];
        for (var i = 0; i < values.Length; i++)
        {
            values[i] = arguments[i].Evaluate(evaluation);
        }

        var items = values is [{ Kind: ValueKind.List } list] ? list.AsList() : values;
        return evaluation.TrySpend(Work.Many(items)) ? body(items) : Value.Null;
    }
}

/// <summary>The first argument that is not null; the rest is not evaluated.</summary>
internal sealed class CoalesceNode(Node[] arguments) : Node(Above(arguments))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        foreach (var argument in arguments)
        {
            var value = argument.Evaluate(evaluation);
            if (!value.IsNull)
            {
                return value;
            }
        }

        return Value.Null;
    }
}
