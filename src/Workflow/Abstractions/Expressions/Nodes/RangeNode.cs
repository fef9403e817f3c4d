namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>Whether a value lies between two others; null when it has no order with one of them and does not miss the other.</summary>
internal sealed class RangeNode(Node value, Node low, Node high, bool lowIncluded, bool highIncluded) : Node(Above(value, low, high))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var item = value.Evaluate(variables);
        var above = Beyond(OrderNode.Compare(item, low.Evaluate(variables)), lowIncluded);
        var below = Beyond(OrderNode.Compare(high.Evaluate(variables), item), highIncluded);
        return above == false || below == false ? Value.From(false) : above is null || below is null ? Value.Null : Value.From(true);
    }

    // Lifted comparison would turn null into false.
    private static bool? Beyond(int? sign, bool included) => sign is { } known ? known > 0 || (included && known == 0) : null;
}
