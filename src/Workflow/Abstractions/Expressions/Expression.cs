namespace Workflow.Abstractions.Expressions;

/// <summary>A compiled expression. Evaluation is pure and safe to call from several threads.</summary>
public abstract class Expression
{
    /// <summary>The text the expression was compiled from, its leading <c>=</c> included.</summary>
    public abstract string Source { get; }

    /// <summary>The names of the variables that the expression reads.</summary>
    public abstract IReadOnlyCollection<string> Variables { get; }

    /// <summary>Evaluates over variables without a budget; one that is missing is null.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables) => Evaluate(variables, new Evaluation());

    /// <summary>Evaluates under a budget of work. The result counts only if that is not exceeded afterwards.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation);
}

internal sealed class CompiledExpression(string source, Node root, IReadOnlyCollection<string> variables) : Expression
{
    public override string Source => source;
    public override IReadOnlyCollection<string> Variables => variables;
    public Node Root => root;

    public override Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(root, variables);

    public override string ToString() => source;
}

/// <summary>Why a text is not an expression.</summary>
/// <param name="Message">What is wrong, with the value and the remedy.</param>
/// <param name="Column">Where, from 1, counted in <paramref name="Source"/> as it was given (leading <c>=</c> and blanks included), in
/// UTF-16 units.</param>
/// <param name="Source">The text as it was given.</param>
public sealed record ExpressionError(string Message, int Column, string Source);
