namespace Workflow.Abstractions.Expressions;

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
