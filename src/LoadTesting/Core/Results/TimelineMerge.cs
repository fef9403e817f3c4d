namespace LoadTesting.Core.Results;

/// <summary>
/// Timelines of parts that ran at the same time, as one: counts and latencies of an interval add up. A part that began
/// later is moved by whole intervals, so that a count is at most half an interval from where it was. What was sampled
/// beside the load is each part's own.
/// </summary>
internal static class TimelineMerge
{
    /// <param name="parts">Each with how much later than the first it began, milliseconds.</param>
    /// <returns>Null if a part has no latencies of its intervals.</returns>
    public static TimelineResult? Of(IReadOnlyList<(TimelineResult? Timeline, double LaterMs)> parts)
    {
        if (parts.Any(part =>
            part.Timeline?.Points.All(point => point.Completed == 0 || point.Histogram is not null) != true))
        {
            return null;
        }

        var interval = parts.Max(part => part.Timeline!.IntervalMs);
        var at = parts.SelectMany(
            part => part.Timeline!.Points, (part, point) => (Place: Place(part.LaterMs, point), Point: point))
            .ToLookup(moved => moved.Place, moved => moved.Point);
        var (points, inFlight) = (new List<TimelinePoint>(), 0L);
        for (var place = 0L; place <= at.Max(same => same.Key); place++)
        {
            var point = Sum(place * interval, [.. at[place]]);
            inFlight += point.Started - point.Completed - point.Failed;
            points.Add(point with { InFlight = inFlight });
        }

        return new TimelineResult { IntervalMs = interval, Points = points };

        long Place(double laterMs, TimelinePoint point) =>
            ((long)Math.Round(laterMs / interval, MidpointRounding.AwayFromZero) * interval + point.TMs) / interval;
    }

    private static TimelinePoint Sum(long tMs, IReadOnlyList<TimelinePoint> parts)
    {
        var latency = LatencyHistogram.MergeAll(parts.Select(part => part.Histogram).OfType<string>()
            .Select(LatencyHistogram.Parse));
        var errors = new TimelineSlot();
        errors.AddErrors(parts.SelectMany(part => part.Errors ?? new Dictionary<string, long>()));
        return new TimelinePoint
        {
            TMs = tMs,
            Started = parts.Sum(part => part.Started),
            Completed = parts.Sum(part => part.Completed),
            Failed = parts.Sum(part => part.Failed),
            Refused = parts.Sum(part => part.Refused),
            Dropped = parts.Sum(part => part.Dropped),
            Unknown = parts.Sum(part => part.Unknown),
            Errors = errors.FrequentErrors(),
            P50Ms = Percentile(50),
            P95Ms = Percentile(95),
            P99Ms = Percentile(99),
            MaxMs = Percentile(100),
            Latencies = CoarseLatencies.Of(latency),
            ScheduleLagP99Ms = parts.Max(part => part.ScheduleLagP99Ms),
            PoolDelayP99Ms = parts.Max(part => part.PoolDelayP99Ms),
            Backlog = parts.Max(part => part.Backlog),
        };

        double? Percentile(double percentile) => latency.Count == 0 ? null : latency.PercentileMs(percentile);
    }
}
