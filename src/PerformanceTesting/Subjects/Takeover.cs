using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>
/// How long the lanes of a node that was killed completed nothing: from the kill to the first completion in each of
/// them that another node executed, as this process received it. Thread-safe.
/// </summary>
/// <param name="lanes">Those that it had.</param>
/// <param name="killedTicks">Monotonic ticks just before the kill.</param>
/// <param name="goneTicks">Monotonic ticks at which its process was gone: what it executed itself was before.</param>
internal sealed class Takeover(IReadOnlyList<int> lanes, long killedTicks, long goneTicks)
{
    private readonly HashSet<string> _waiting = [.. lanes.Select(lane => lane.ToString(CultureInfo.InvariantCulture))];
    private readonly Lock _gate = new();

    public IReadOnlyList<int> Lanes => lanes;

    /// <summary>One sample for each lane that has completed again. Read it when nothing more is received.</summary>
    public LatencyHistogram Latency { get; } = new();

    public void Observe(IntegrationEvent received, long ticks)
    {
        // Its id is the lane and a number; stamps are of this machine's clock, for the service runs here.
        var dash = received.Id.IndexOf('-', StringComparison.Ordinal);
        if (received is not InstanceCompleted || received.Timestamps.ExecutedTicks <= goneTicks || dash < 0)
        {
            return;
        }

        lock (_gate)
        {
            if (_waiting.Remove(received.Id[..dash]))
            {
                Latency.RecordStopwatchTicks(ticks - killedTicks);
            }
        }
    }
}
