namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class ConstantNode(Value value) : Node(1)
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables) => value;
}
