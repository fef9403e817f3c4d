using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for a signal by name and correlation key, or by name sent to the instance.</summary>
public sealed record WaitSignalStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "waitSignal";

    /// <summary>Signal name.</summary>
    public required string Signal { get; init; }

    /// <summary>The correlation key; null when the signal only comes by instance id.</summary>
    public Template? Correlation { get; init; }

    /// <summary>How long to wait at most; null waits for ever.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>The variable that takes the payload.</summary>
    public string? Result { get; init; }

    /// <summary>The step that follows.</summary>
    public required string Next { get; init; }
}
