namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>Order of two numbers, or of two texts by code unit; null for anything else.</summary>
internal sealed class OrderNode(Node left, Node right, Order order) : Node(Above(left, right))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) =>
        Compare(left.Evaluate(variables), right.Evaluate(variables)) is { } sign ? Value.From(Holds(sign)) : Value.Null;

    /// <summary>Negative, zero or positive; null when the two have no order.</summary>
    public static int? Compare(Value left, Value right) => (left.Kind, right.Kind) switch
    {
        (ValueKind.Number, ValueKind.Number) => left.AsNumber().CompareTo(right.AsNumber()),
        (ValueKind.String, ValueKind.String) => string.CompareOrdinal(left.AsString(), right.AsString()),
        _ => null,
    };

    private bool Holds(int sign) => order switch
    {
        Order.Less => sign < 0,
        Order.LessOrEqual => sign <= 0,
        Order.Greater => sign > 0,
        _ => sign >= 0,
    };
}
