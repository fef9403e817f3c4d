namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Whether a value lies between two others; null when it has no order with one of them and does not miss the other.
/// </summary>
internal sealed class RangeNode(Node value, Node low, Node high, bool lowIncluded, bool highIncluded)
    : Node(Above(value, low, high))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation)
    {
        var item = value.Evaluate(evaluation);
        var above = Beyond(OrderNode.Compare(item, low.Evaluate(evaluation), evaluation), lowIncluded);
        var below = Beyond(OrderNode.Compare(high.Evaluate(evaluation), item, evaluation), highIncluded);
        if (above == false || below == false)
        {
            return Value.From(false);
        }

        return above is null || below is null ? Value.Null : Value.From(true);
    }

    // Lifted comparison would turn null into false.
    private static bool? Beyond(int? sign, bool included) =>
        sign is { } known ? known > 0 || (included && known == 0) : null;
}
