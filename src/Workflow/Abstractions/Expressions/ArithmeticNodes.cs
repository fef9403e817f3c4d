namespace Workflow.Abstractions.Expressions;

/// <summary>Operators of one precedence, from left to right: a + b - c, or a * b / c.</summary>
internal sealed class ChainNode(Node first, ChainTerm[] terms) : Node(Math.Max(first.Height, terms.Max(term => term.Operand.Height)) + 1)
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var value = first.Evaluate(variables);
        foreach (var (operation, operand) in terms)
        {
            value = Apply(operation, value, operand.Evaluate(variables));
        }

        return value;
    }

    private static Value Apply(char operation, Value left, Value right)
    {
        if (left.Kind == ValueKind.Number && right.Kind == ValueKind.Number)
        {
            return Arithmetic.Apply(operation, left.AsNumber(), right.AsNumber());
        }

        return operation == '+' && left.Kind == ValueKind.String && right.Kind == ValueKind.String
            ? Texts.Join(left.AsString(), right.AsString())
            : Value.Null;
    }
}

/// <summary>One of + - * / and what stands at its right.</summary>
internal readonly record struct ChainTerm(char Operation, Node Operand);

internal sealed class NegateNode(Node operand) : Node(Above(operand))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var value = operand.Evaluate(variables);
        return value.Kind == ValueKind.Number ? Value.From(-value.AsNumber()) : Value.Null;
    }
}

internal sealed class PowerNode(Node @base, Node exponent) : Node(Above(@base, exponent))
{
    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables)
    {
        var left = @base.Evaluate(variables);
        var right = exponent.Evaluate(variables);
        return left.Kind == ValueKind.Number && right.Kind == ValueKind.Number
            ? Arithmetic.Power(left.AsNumber(), right.AsNumber())
            : Value.Null;
    }
}
