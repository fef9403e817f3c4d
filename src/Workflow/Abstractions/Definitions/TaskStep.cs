using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for a person: a task is made, which somebody completes.</summary>
public sealed record TaskStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "task";

    /// <summary>Who it is assigned to; null, or a template that gives null, for nobody.</summary>
    public Template? Assignee { get; init; }

    /// <summary>Groups that may take it: a list of texts. Null for none.</summary>
    public Template? Groups { get; init; }

    /// <summary>The variable that takes the output.</summary>
    public string? Result { get; init; }

    /// <summary>How long to wait at most; null waits for ever.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
