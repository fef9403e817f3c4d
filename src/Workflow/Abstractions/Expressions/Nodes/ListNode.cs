namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class ListNode(Node[] items) : Node(Above(items))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var values = new Value[items.Length];
        for (var i = 0; i < values.Length; i++)
        {
            values[i] = items[i].Evaluate(variables);
        }

        return Value.From(values);
    }
}
