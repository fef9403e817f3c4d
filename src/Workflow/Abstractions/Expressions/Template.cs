using System.Text.Json;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;

namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A JSON value in which strings that begin with <c>=</c> are expressions, at any depth; member names are never expressions. A text that
/// itself begins with <c>=</c> is written as an expression: <c>"=\"=...\""</c>. Evaluation is pure and safe to call from several threads.
/// </summary>
public abstract class Template
{
    /// <summary>The template as JSON text, for messages.</summary>
    public abstract string Source { get; }

    /// <summary>The names of the variables that the template reads; without any, its value is always the same.</summary>
    public abstract IReadOnlyCollection<string> Variables { get; }

    /// <summary>Evaluates every expression in the template.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables);

    /// <summary>
    /// Compiles a JSON value. Errors are added with their path below <paramref name="jsonPath"/>: expressions that cannot be compiled, numbers
    /// outside the range of decimal, members given twice, texts that are not valid Unicode. Parts without expressions are evaluated once.
    /// </summary>
    /// <param name="element">The value; it need not outlive the call.</param>
    /// <param name="jsonPath">Where the value stands, for error messages, e.g. <c>steps.done.output</c>.</param>
    /// <param name="errors">Takes every error found.</param>
    /// <returns>The template; null when an error was added.</returns>
    public static Template? TryCompile(JsonElement element, string jsonPath, ICollection<DefinitionError> errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var before = errors.Count;
        JsonChecks.Check(element, jsonPath, errors);
        return errors.Count == before ? TemplateCompiler.Compile(element, jsonPath, errors) : null;
    }
}
