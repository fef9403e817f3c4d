namespace Workflow.Abstractions.Expressions;

/// <summary>A compiled expression. Evaluation is pure and safe to call from several threads.</summary>
public sealed class Expression
{
    internal Expression(
        string source, Node root, IReadOnlyCollection<string> variables, IReadOnlyList<VariableReference> references) =>
        (Source, Root, Variables, References) = (source, root, variables, references);

    /// <summary>The text the expression was compiled from, its leading <c>=</c> included.</summary>
    public string Source { get; }

    /// <summary>The names of the variables that the expression reads.</summary>
    public IReadOnlyCollection<string> Variables { get; }

    /// <summary>Where the source reads them, in its order. Names that a context defines before are none.</summary>
    public IReadOnlyList<VariableReference> References { get; }

    internal Node Root { get; }

    /// <summary>Evaluates over variables without a budget; one that is missing is null.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables) => Evaluate(variables, new Evaluation());

    /// <summary>Evaluates under a budget of work. The result counts only if that is not exceeded afterwards.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(Root, variables);

    public override string ToString() => Source;
}
