namespace Workflow.Contracts.Events;

/// <summary>
/// An instance was cancelled: by a request, or because the instance that called it went on or ended without it.
/// </summary>
public sealed record InstanceCancelled : IntegrationEvent
{
    public override string Type => nameof(InstanceCancelled);
    public required string Reason { get; init; }
}
