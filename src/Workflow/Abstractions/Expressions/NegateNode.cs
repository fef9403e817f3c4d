namespace Workflow.Abstractions.Expressions;

internal sealed class NegateNode(Node operand) : Node(Above(operand))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = operand.Evaluate(evaluation);
        return value.Kind == ValueKind.Number ? Value.From(-value.AsNumber()) : Value.Null;
    }
}
