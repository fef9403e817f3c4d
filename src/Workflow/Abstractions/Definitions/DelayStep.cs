namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for a time. Exactly one of duration and until is set.</summary>
public sealed record DelayStep : SequentialStep
{
    public override string Type => "delay";

    /// <summary>How long; a constant, or an expression that gives an ISO 8601 duration.</summary>
    public Template? Duration { get; init; }

    /// <summary>Until when; a constant, or an expression that gives an ISO 8601 instant.</summary>
    public Template? Until { get; init; }
}
