namespace Workflow.Contracts.Events;

/// <summary>A buffered signal was given up: its time to live was over, or its instance finished without taking it.</summary>
public sealed record SignalExpired : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(SignalExpired);

    /// <summary>Signal name.</summary>
    public required string Name { get; init; }

    /// <summary>Why it was given up.</summary>
    public required string Reason { get; init; }
}
