namespace Workflow.Abstractions.Expressions;

/// <summary>Order of two numbers, or of two texts by code point; null for anything else.</summary>
internal sealed class OrderNode(Node left, Node right, Order order) : Node(Above(left, right))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation) =>
        Compare(left.Evaluate(evaluation), right.Evaluate(evaluation), evaluation) is { } sign
            ? Value.From(Holds(sign))
            : Value.Null;

    /// <summary>The same under a budget.</summary>
    public static int? Compare(Value left, Value right, Evaluation evaluation) =>
        evaluation.TrySpend(Work.Compare(left, right)) ? Compare(left, right) : null;

    /// <summary>Negative, zero or positive; null when the two have no order.</summary>
    public static int? Compare(Value left, Value right) => (left.Kind, right.Kind) switch
    {
        (ValueKind.Number, ValueKind.Number) => left.AsNumber().CompareTo(right.AsNumber()),
        (ValueKind.String, ValueKind.String) => Texts.Compare(left.AsString(), right.AsString()),
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
