namespace Workflow.Engine.Lanes;

/// <summary>A pending reload of memory.</summary>
/// <param name="InFlight">The batch whose flush failed, which may or may not be committed; null when a look-up
/// failed.</param>
/// <param name="Pending">Commands that are certainly not committed.</param>
internal sealed record LaneReload(FlushException Cause, LaneBatch? InFlight, LaneCommand[] Pending)
{
    public IReadOnlyList<LaneCommand> Commands => [.. InFlight?.Commands ?? [], .. Pending];
}
