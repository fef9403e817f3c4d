namespace Workflow.Contracts.Events;

/// <summary>
/// A buffered signal was given up: its time to live was over, or its instance finished without taking it.
/// </summary>
public sealed record SignalExpired : IntegrationEvent
{
    public override string Type => nameof(SignalExpired);
    public required string Name { get; init; }
    public required string Reason { get; init; }
}
