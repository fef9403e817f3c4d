namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for a signal by name and correlation key, or by name sent to the instance.</summary>
public sealed record WaitSignalStep : AwaitingStep
{
    public override string Type => "waitSignal";

    public required string Signal { get; init; }

    /// <summary>The correlation key; null when the signal only comes by instance id.</summary>
    public Template? Correlation { get; init; }
}
