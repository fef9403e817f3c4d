namespace Workflow.Abstractions.Expressions.Nodes;

/// <summary>The item at a position, from 1, or from -1 backwards; null when there is none or the target is not a list.</summary>
internal sealed class IndexNode(Node target, Node index) : Node(Above(target, index))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var list = target.Evaluate(variables);
        var position = index.Evaluate(variables);
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
