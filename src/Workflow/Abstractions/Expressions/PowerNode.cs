namespace Workflow.Abstractions.Expressions;

internal sealed class PowerNode(Node @base, Node exponent) : Node(Above(PowerNode.OwnCost, @base, exponent))
{
    /// <summary>Up to 62 multiplications.</summary>
    private const int OwnCost = 128;

    public override Value Evaluate(Evaluation evaluation)
    {
        var left = @base.Evaluate(evaluation);
        var right = exponent.Evaluate(evaluation);
        return left.Kind == ValueKind.Number && right.Kind == ValueKind.Number
            ? Arithmetic.Power(left.AsNumber(), right.AsNumber())
            : Value.Null;
    }
}
