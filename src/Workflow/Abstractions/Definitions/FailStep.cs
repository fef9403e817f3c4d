using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Fails the instance.</summary>
public sealed record FailStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "fail";

    /// <summary>What went wrong: a text, or an expression that gives one.</summary>
    public required Template Error { get; init; }
}
