namespace Workflow.Abstractions.Expressions;

/// <summary>A compiled expression. Evaluation is pure and safe to call from several threads.</summary>
public abstract class Expression
{
    /// <summary>The text the expression was compiled from, its leading <c>=</c> included.</summary>
    public abstract string Source { get; }

    /// <summary>The names of the variables that the expression reads.</summary>
    public abstract IReadOnlyCollection<string> Variables { get; }

    /// <summary>Evaluates over variables; one that is missing is null.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables);
}
