namespace Workflow.Contracts.Events;

/// <summary>An instance was cancelled: by a request, or because the instance that called it went on or ended without it.</summary>
public sealed record InstanceCancelled : IntegrationEvent
{
    /// <inheritdoc/>
    public override string Type => nameof(InstanceCancelled);

    /// <summary>Why.</summary>
    public required string Reason { get; init; }
}
