namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// Counts and latencies of a scenario's iterations, or its operations, per second. Not safe for concurrent writers.
/// </summary>
internal sealed class Timeline
{
    private readonly SecondSlots<TimelineSlot> _slots = new(() => new TimelineSlot(), TimelineSlot.MergeInto);

    /// <summary>The beginning of the first second, in Stopwatch ticks.</summary>
    internal long Origin { get; set; }

    /// <summary>The slot of that moment.</summary>
    internal TimelineSlot At(long timestamp) => _slots.At((timestamp - Origin) / Stopwatch.Frequency);

    /// <param name="schedule">The timeline with schedule lag and errors; null if this one has them.</param>
    /// <param name="samples">Samples taken beside the load; null if there are none.</param>
    /// <param name="keepsHistograms">Whether each point keeps its full histogram, so that timelines can be added
    /// up.</param>
    internal TimelineResult ToResult(Timeline? schedule, LoadSamples? samples, bool keepsHistograms = false)
    {
        var ticksEach = _slots.SecondsEach * Stopwatch.Frequency;
        var points = new TimelinePoint[_slots.Count];
        var inFlight = 0L;
        for (var index = 0; index < points.Length; index++)
        {
            var slot = _slots[index] ?? new TimelineSlot();
            inFlight += slot.Started - slot.Latency.Count - slot.Failed;
            var from = Origin + (index * ticksEach);
            var scheduled = (schedule ?? this).SlotBetween(from, from + ticksEach);
            points[index] = new TimelinePoint(samples?.ProcessesIn(from, from + ticksEach) ?? new())
            {
                TMs = index * _slots.SecondsEach * 1000,
                Started = slot.Started,
                Completed = slot.Latency.Count,
                Failed = slot.Failed,
                Refused = slot.Refused,
                Dropped = slot.Dropped,
                Unknown = slot.Unknown,
                InFlight = inFlight,
                P50Ms = Percentile(slot.Latency, 50),
                P95Ms = Percentile(slot.Latency, 95),
                P99Ms = Percentile(slot.Latency, 99),
                MaxMs = Percentile(slot.Latency, 100),
                Latencies = CoarseLatencies.Of(slot.Latency),
                Histogram = keepsHistograms && slot.Latency.Count > 0 ? slot.Latency.ToSparseString() : null,
                ScheduleLagP99Ms = Percentile(scheduled?.Lag, 99),
                Errors = scheduled?.FrequentErrors(),
            };
        }

        return new TimelineResult { IntervalMs = _slots.SecondsEach * 1000, Points = points };
    }

    /// <summary>Adds dropped iterations of another timeline at the times they were due, the earliest first.</summary>
    /// <param name="of">The other timeline.</param>
    /// <param name="atMost">The most to add.</param>
    /// <returns>How many of <paramref name="atMost"/> the other timeline did not have.</returns>
    internal long AddDropped(Timeline of, long atMost)
    {
        for (var index = 0; index < of._slots.Count && atMost > 0; index++)
        {
            var dropped = Math.Min(of._slots[index]?.Dropped ?? 0, atMost);
            if (dropped > 0)
            {
                At(of.Origin + (index * of._slots.SecondsEach * Stopwatch.Frequency)).Dropped += dropped;
                atMost -= dropped;
            }
        }

        return atMost;
    }

    private TimelineSlot? SlotBetween(long from, long to)
    {
        var middle = (((from + to) / 2) - Origin) / Stopwatch.Frequency / _slots.SecondsEach;
        return middle < 0 ? null : _slots[(int)middle];
    }

    private static double? Percentile(LatencyHistogram? histogram, double percentile) =>
        histogram is { Count: > 0 } ? histogram.PercentileMs(percentile) : null;
}
