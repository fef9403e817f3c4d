namespace Workflow.Abstractions.Expressions;

/// <summary>A compiled expression. Evaluation is pure and safe to call from several threads.</summary>
public abstract class Expression
{
    /// <summary>The text the expression was compiled from, its leading <c>=</c> included.</summary>
    public abstract string Source { get; }

    /// <summary>The names of the variables that the expression reads.</summary>
    public abstract IReadOnlyCollection<string> Variables { get; }

    /// <summary>Where the source reads them, in its order. Names that a context defines before are none.</summary>
    public abstract IReadOnlyList<VariableReference> References { get; }

    /// <summary>Evaluates over variables without a budget; one that is missing is null.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables) => Evaluate(variables, new Evaluation());

    /// <summary>Evaluates under a budget of work. The result counts only if that is not exceeded afterwards.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation);
}
