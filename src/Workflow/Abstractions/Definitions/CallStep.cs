using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Runs a sub-workflow and waits for its end.</summary>
public sealed record CallStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "call";

    /// <summary>Definition name.</summary>
    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when the step begins.</summary>
    public int? Version { get; init; }

    /// <summary>Input.</summary>
    public Template? Input { get; init; }

    /// <summary>The variable that takes the output.</summary>
    public string? Result { get; init; }

    /// <summary>The step taken when the sub-workflow failed, was cancelled or could not be started; null fails the instance.</summary>
    public string? OnError { get; init; }

    /// <summary>How long to wait at most; null waits for ever.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
