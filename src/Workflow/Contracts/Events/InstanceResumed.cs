namespace Workflow.Contracts.Events;

/// <summary>A suspended instance was resumed, and takes what came meanwhile.</summary>
public sealed record InstanceResumed : IntegrationEvent
{
    public override string Type => nameof(InstanceResumed);
}
