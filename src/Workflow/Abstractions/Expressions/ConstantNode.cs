namespace Workflow.Abstractions.Expressions;

internal sealed class ConstantNode(Value value) : Node(Above())
{
    public override Value Evaluate(Evaluation evaluation) => value;
}
