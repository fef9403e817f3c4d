namespace Workflow.Contracts.Events;

/// <summary>A signal whose name is listed in <c>signalReceivers</c> was consumed durably by its receiver.</summary>
public sealed record SignalReceived : IntegrationEvent
{
    public override string Type => nameof(SignalReceived);
    public required string Name { get; init; }

    /// <summary>When it was to be delivered (UTC); null for at once.</summary>
    public DateTimeOffset? DueAt { get; init; }

    public JsonElement? Payload { get; init; }
}
