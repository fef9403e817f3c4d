namespace Workflow.Contracts.Events;

/// <summary>An instance was suspended: it goes on once it is resumed.</summary>
public sealed record InstanceSuspended : IntegrationEvent
{
    public override string Type => nameof(InstanceSuspended);
}
