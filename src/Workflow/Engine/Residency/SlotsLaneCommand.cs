namespace Workflow.Engine.Residency;

/// <summary>Adds a page of stored slots to the filter of the lane.</summary>
/// <param name="isLast">Whether the filter has all slots from now on.</param>
internal sealed class SlotsLaneCommand(SlotIndex index, IReadOnlyList<long> slots, bool isLast) : LaneCommand
{
    public override string Description => "page of slots";

    public override void Apply(LaneState lane) => index.AddStored(slots, isLast);
}
