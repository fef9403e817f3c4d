namespace Workflow.Abstractions.Expressions;

/// <summary>Operators of one precedence, from left to right: a + b - c, or a * b / c.</summary>
internal sealed class ChainNode(Node first, ChainTerm[] terms)
    : Node(Above(terms.Length * ChainNode.TermCost, [first, .. terms.Select(term => term.Operand)]))
{
    /// <summary>A division of decimals takes about so long.</summary>
    private const int TermCost = 4;

    public override Value Evaluate(Evaluation evaluation)
    {
        var value = first.Evaluate(evaluation);
        foreach (var (operation, operand) in terms)
        {
            value = Apply(operation, value, operand.Evaluate(evaluation), evaluation);
        }

        return value;
    }

    private static Value Apply(char operation, Value left, Value right, Evaluation evaluation)
    {
        if (left.Kind == ValueKind.Number && right.Kind == ValueKind.Number)
        {
            return Arithmetic.Apply(operation, left.AsNumber(), right.AsNumber());
        }

        return operation == '+' && left.Kind == ValueKind.String && right.Kind == ValueKind.String
            && evaluation.TrySpend(Work.Join(left, right))
            ? Texts.Join(left.AsString(), right.AsString())
            : Value.Null;
    }
}

/// <summary>One of + - * / and what stands at its right.</summary>
internal readonly record struct ChainTerm(char Operation, Node Operand);

internal sealed class NegateNode(Node operand) : Node(Above(operand))
{
    public override Value Evaluate(Evaluation evaluation)
    {
        var value = operand.Evaluate(evaluation);
        return value.Kind == ValueKind.Number ? Value.From(-value.AsNumber()) : Value.Null;
    }
}

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
