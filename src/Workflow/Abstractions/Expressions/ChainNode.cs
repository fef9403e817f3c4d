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
