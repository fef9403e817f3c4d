using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Calls a registered activity.</summary>
public sealed record InvokeStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "invoke";

    /// <summary>Activity name.</summary>
    public required string Activity { get; init; }

    /// <summary>Input.</summary>
    public Template? Input { get; init; }

    /// <summary>The variable that takes the result.</summary>
    public string? Result { get; init; }

    /// <summary>How failed attempts are repeated; null fails at once.</summary>
    public RetryPolicy? Retry { get; init; }

    /// <summary>The step taken when the activity failed.</summary>
    public string? OnError { get; init; }

    /// <summary>How long to wait at most, all attempts and the pauses between them together; null waits for ever.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
