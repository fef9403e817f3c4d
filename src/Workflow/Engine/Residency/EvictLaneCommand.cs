namespace Workflow.Engine.Residency;

/// <summary>Makes instances dormant that have waited for long, or that are too many.</summary>
internal sealed class EvictLaneCommand : LaneCommand
{
    public override string Description => "eviction of waiting instances";

    public override void Apply(LaneState lane) => lane.Dormancy.Evict();
}
