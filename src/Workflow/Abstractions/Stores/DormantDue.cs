namespace Workflow.Abstractions.Stores;

/// <summary>A dormant instance whose next timer is due.</summary>
public sealed record DormantDue(InstanceRow Row, DateTimeOffset DueUtc);
