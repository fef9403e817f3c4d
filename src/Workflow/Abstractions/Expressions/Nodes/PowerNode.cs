using Workflow.Abstractions.Expressions.Functions;

namespace Workflow.Abstractions.Expressions.Nodes;

internal sealed class PowerNode(Node @base, Node exponent) : Node(Above(@base, exponent))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var left = @base.Evaluate(variables);
        var right = exponent.Evaluate(variables);
        return left.Kind == ValueKind.Number && right.Kind == ValueKind.Number ? Arithmetic.Power(left.AsNumber(), right.AsNumber()) : Value.Null;
    }
}
