namespace Workflow.Abstractions.Expressions;

internal sealed class VariableNode(string name) : Node(Above())
{
    public override Value Evaluate(Evaluation evaluation) =>
        evaluation.Variables.TryGetValue(name, out var value) ? value : Value.Null;
}
