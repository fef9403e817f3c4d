using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Assigns variables; all values are evaluated before any is assigned.</summary>
public sealed record SetStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "set";

    /// <summary>Variable names and their values, in the order written.</summary>
    public required IReadOnlyList<KeyValuePair<string, Template>> Values { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
