namespace Workflow.Abstractions.Stores;

/// <summary>What a lane needs of its dormant instances. An instance is found if any of the three names it.</summary>
public sealed record DormantLookup
{
    public IReadOnlyCollection<Guid> Instances { get; init; } = [];

    /// <summary>Open tasks; their instances are found.</summary>
    public IReadOnlyCollection<Guid> Tasks { get; init; } = [];

    /// <summary>Slots in which the instances wait (<see cref="DormantWait.Slot"/>).</summary>
    public IReadOnlyCollection<long> Slots { get; init; } = [];

    public bool IsEmpty => Instances.Count + Tasks.Count + Slots.Count == 0;
}
