namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A JSON value in which strings that begin with <c>=</c> are expressions, at any depth; member names are never
/// expressions. A text that itself begins with <c>=</c> is written as an expression: <c>"=\"=...\""</c>. Evaluation is
/// pure and safe to call from several threads.
/// </summary>
public sealed class Template
{
    private readonly Node _root;

    internal Template(string source, Node root, IReadOnlyCollection<string> variables) =>
        (Source, _root, Variables) = (source, root, variables);

    /// <summary>The template as JSON text, for messages.</summary>
    public string Source { get; }

    /// <summary>
    /// The names of the variables that the template reads; without any, its value is always the same.
    /// </summary>
    public IReadOnlyCollection<string> Variables { get; }

    /// <summary>Evaluates over variables without a budget; one that is missing is null.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables) => Evaluate(variables, new Evaluation());

    /// <summary>Evaluates under a budget of work. The result counts only if that is not exceeded afterwards.</summary>
    public Value Evaluate(IReadOnlyDictionary<string, Value> variables, Evaluation evaluation) =>
        evaluation.Evaluate(_root, variables);

    /// <summary>
    /// Compiles a JSON value. Errors are added with their path below <paramref name="jsonPath"/>: expressions that
    /// cannot be compiled, numbers that a decimal does not hold exactly, members given twice, texts that are not valid
    /// Unicode. Parts without expressions are evaluated once.
    /// </summary>
    /// <param name="jsonPath">Where the value stands, for error messages, e.g. <c>steps.done.output</c>.</param>
    public static Template? TryCompile(JsonElement element, string jsonPath, ICollection<DefinitionError> errors)
    {
        var before = errors.Count;
        JsonChecks.Check(element, jsonPath, errors);
        return errors.Count == before ? TemplateCompiler.Compile(element, jsonPath, errors) : null;
    }

    public override string ToString() => Source;
}
