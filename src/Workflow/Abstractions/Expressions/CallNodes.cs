namespace Workflow.Abstractions.Expressions;

internal sealed class CallOneNode(Func<Value, Value> body, Node argument) : Node(Above(argument))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) => body(argument.Evaluate(variables));
}

internal sealed class CallTwoNode(Func<Value, Value, Value> body, Node first, Node second) : Node(Above(first, second))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) =>
        body(first.Evaluate(variables), second.Evaluate(variables));
}

internal sealed class CallThreeNode(
    Func<Value, Value, Value, Value> body, Node first, Node second, Node third) : Node(Above(first, second, third))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) =>
        body(first.Evaluate(variables), second.Evaluate(variables), third.Evaluate(variables));
}

/// <summary>A call over any number of items: those of the one argument when it is a list, else the arguments themselves.</summary>
internal sealed class AggregateNode(Func<IReadOnlyList<Value>, Value> body, Node[] arguments) : Node(Above(arguments))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var values = new Value[arguments.Length];
        for (var i = 0; i < values.Length; i++)
        {
            values[i] = arguments[i].Evaluate(variables);
        }

        return values is [{ Kind: ValueKind.List } list] ? body(list.AsList()) : body(values);
    }
}

/// <summary>The first argument that is not null; the rest is not evaluated.</summary>
internal sealed class CoalesceNode(Node[] arguments) : Node(Above(arguments))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        foreach (var argument in arguments)
        {
            var value = argument.Evaluate(variables);
            if (!value.IsNull)
            {
                return value;
            }
        }

        return Value.Null;
    }
}
