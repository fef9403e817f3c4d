namespace Workflow.Abstractions.Expressions;

/// <summary>
/// The item at a position, from 1, or from -1 backwards; null when there is none. True keeps every item, false none.
/// What is not a list is one with a single item.
/// </summary>
internal sealed class IndexNode(Node target, Node index) : Node(Above(target, index))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = target.Evaluate(evaluation);
        var position = index.Evaluate(evaluation);
        return (value.Kind, position.Kind) switch
        {
            (ValueKind.Null, _) => Value.Null,
            (ValueKind.List, ValueKind.Number) => At(value.AsList(), position.AsNumber()),
            (_, ValueKind.Number) => Math.Abs(position.AsNumber()) == 1 ? value : Value.Null,
            (_, ValueKind.Boolean) when !position.AsBoolean() => Value.From(Array.Empty<Value>()),
            (ValueKind.List, ValueKind.Boolean) => value,
            (_, ValueKind.Boolean) => Composite.Of([value]),
            _ => Value.Null,
        };
    }

    private static Value At(IReadOnlyList<Value> items, decimal number)
    {
        if (number != decimal.Truncate(number) || number == 0 || Math.Abs(number) > items.Count)
        {
            return Value.Null;
        }

        return items[number > 0 ? (int)number - 1 : items.Count + (int)number];
    }
}
