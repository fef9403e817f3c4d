namespace Workflow.Abstractions.Expressions;

/// <summary>A JSON value in which strings that begin with <c>=</c> are expressions.</summary>
public abstract class Template
{
    /// <summary>The template as JSON text, for messages.</summary>
    public abstract string Source { get; }

    /// <summary>Evaluates every expression in the template.</summary>
    public abstract Value Evaluate(IReadOnlyDictionary<string, Value> variables);
}
