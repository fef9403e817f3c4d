namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Equality. Anything compares with null; two values of different kinds, neither null, give null (FEEL).
/// </summary>
internal sealed class EqualNode(Node left, Node right, bool wanted) : Node(Above(left, right))
{
    public override bool IsTest => true;

    public override Value Evaluate(Evaluation evaluation)
    {
        var first = left.Evaluate(evaluation);
        var second = right.Evaluate(evaluation);
        return (first.Kind == second.Kind || first.IsNull || second.IsNull)
            && evaluation.TrySpend(Work.Compare(first, second))
            ? Value.From((first == second) == wanted)
            : Value.Null;
    }
}
