namespace Workflow.Abstractions.Expressions;

/// <summary>
/// if then else: only true takes the first branch; false, null and other kinds take the second. The other is not
/// evaluated.
/// </summary>
internal sealed class ConditionalNode(Node condition, Node whenTrue, Node otherwise)
    : Node(Above(condition, whenTrue, otherwise))
{
    public override bool IsTest => whenTrue.IsTest || otherwise.IsTest;

    public override Value Evaluate(Evaluation evaluation) =>
        condition.Evaluate(evaluation).IsTrue ? whenTrue.Evaluate(evaluation) : otherwise.Evaluate(evaluation);
}
