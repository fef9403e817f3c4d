namespace LoadTesting.Core.Results;

/// <summary>The requests of a scenario's operations, as load tests of services usually report them.</summary>
public sealed record RequestResult
{
    /// <summary>Requests that ended.</summary>
    public required long Count { get; init; }

    /// <summary>Requests that failed or were refused.</summary>
    public required long Failed { get; init; }

    /// <summary>Requests per second; after a ramp only of the time under full load.</summary>
    public required double PerSecond { get; init; }

    /// <summary>Latency of the requests that did not fail.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>
    /// Bytes of the responses to requests that did not fail, as they came over the connections: heads, bodies, sizes of
    /// chunks and trailers, before encryption; null if not counted. Up to schema 1.2 of bodies alone.
    /// </summary>
    public long? ReceivedBytes { get; init; }

    /// <summary>
    /// Bytes of the same requests as they went over the connections: heads and bodies, before encryption, twice where
    /// one was sent again; null if not counted. Up to schema 1.2 of bodies alone.
    /// </summary>
    public long? SentBytes { get; init; }

    /// <summary>
    /// Greatest share of the machine's processors, 0 to 1, that the service had in a point of the timeline; null where
    /// it was not watched.
    /// </summary>
    public double? PeakServiceCpu { get; init; }

    /// <summary>The same of the backend's processes.</summary>
    public double? PeakDatabaseCpu { get; init; }

    /// <summary>The requests of one scenario, each of whose steps is one.</summary>
    /// <param name="measured">Its iterations and steps.</param>
    /// <param name="timeline">With what was sampled of the processes.</param>
    /// <param name="rampUp">Duration of the ramp; zero without one.</param>
    public static RequestResult Of(ScenarioStats measured, TimelineResult timeline, TimeSpan rampUp)
    {
        var failed = measured.Steps.Sum(step => step.Fail.Count);
        var (received, sent) = (
            ByteSum.Of(measured.Steps.Select(step => step.Ok.SizeBytes)),
            ByteSum.Of(measured.Steps.Select(step => step.Ok.SentBytes)));
        return new RequestResult
        {
            Count = failed + measured.Steps.Sum(step => step.Ok.Count),
            Failed = failed,
            PerSecond = RateOf(measured, rampUp),
            Latency = LatencyResult.From(LatencyHistogram.MergeAll(measured.Steps.Select(step => step.Ok.Service))),
            ReceivedBytes = received == 0 && sent == 0 ? null : received,
            SentBytes = received == 0 && sent == 0 ? null : sent,
            PeakServiceCpu = timeline.Points.Max(point => point.Cpu?.Service),
            PeakDatabaseCpu = timeline.Points.Max(point => point.Cpu?.Database),
        };
    }

    /// <summary>
    /// Requests per second of real time. A ramp would lower the rate: if the timeline has points between the end of the
    /// ramp and the planned end, only they count.
    /// </summary>
    public static double RateOf(ScenarioStats measured, TimeSpan rampUp)
    {
        var requests = (double)measured.Steps.Sum(step => step.Ok.Count + step.Fail.Count);
        var iterations = measured.Ok.Count + measured.Fail.Count;
        var (each, end) = (measured.Timeline.IntervalMs, measured.PlannedDuration?.TotalMilliseconds ?? 0);
        TimelinePoint[] held =
        [
            .. measured.Timeline.Points.Where(point => point.TMs >= rampUp.TotalMilliseconds
                && point.TMs + each <= end),
        ];
        return rampUp > TimeSpan.Zero && held.Length > 0 && iterations > 0
            ? held.Sum(point => point.Completed + point.Failed) * requests / iterations / (held.Length * each / 1000.0)
            : measured.LoadedDuration > TimeSpan.Zero ? requests / measured.LoadedDuration.TotalSeconds : 0;
    }

    /// <summary>
    /// The requests of several scenarios that ran at the same time; null where those of one are not known. Of loads
    /// that ran one after the other all but <see cref="PerSecond"/>, which is their sum.
    /// </summary>
    public static RequestResult? SumOf(IReadOnlyList<RequestResult?> parts)
    {
        RequestResult[] known = [.. parts.OfType<RequestResult>()];
        return known.Length < parts.Count || known.Length == 0 ? null : new RequestResult
        {
            Count = known.Sum(part => part.Count),
            Failed = known.Sum(part => part.Failed),
            PerSecond = known.Sum(part => part.PerSecond),
            Latency = LatencyResult.From(LatencyHistogram.MergeAll(
                known.Where(part => part.Latency.Histogram is not null)
                    .Select(part => LatencyHistogram.Parse(part.Latency.Histogram!)))),
            ReceivedBytes = known.Any(part => part.ReceivedBytes is null) ? null
                : ByteSum.Of(known.Select(part => part.ReceivedBytes!.Value)),
            SentBytes = known.Any(part => part.SentBytes is null)
                ? null
                : ByteSum.Of(known.Select(part => part.SentBytes!.Value)),
            PeakServiceCpu = known.Max(part => part.PeakServiceCpu),
            PeakDatabaseCpu = known.Max(part => part.PeakDatabaseCpu),
        };
    }
}
