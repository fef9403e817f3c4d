namespace LoadTesting.Core.Results;

/// <summary>The requests that a scenario's operations took, however many each: what load tests of services usually report.</summary>
public sealed record RequestResult
{
    /// <summary>Requests that ended.</summary>
    public required long Count { get; init; }

    /// <summary>Those among them that failed or were refused.</summary>
    public required long Failed { get; init; }

    /// <summary>Per second; where the load rose first, of the time in which all of it was there.</summary>
    public required double PerSecond { get; init; }

    /// <summary>Latency of the requests that did not fail.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>
    /// Bytes of the responses to requests that did not fail, as they came over the connections: heads, bodies, sizes of chunks and
    /// trailers, before encryption; null where nobody counted. Up to schema 1.2 of bodies alone.
    /// </summary>
    public long? ReceivedBytes { get; init; }

    /// <summary>
    /// Bytes of the same requests as they went over the connections: heads and bodies, before encryption, twice where one was sent again;
    /// null where nobody counted. Up to schema 1.2 of bodies alone.
    /// </summary>
    public long? SentBytes { get; init; }

    /// <summary>
    /// Greatest share of the machine's processors, 0 to 1, that the service had in a point of the timeline; null where it was not watched.
    /// </summary>
    public double? PeakServiceCpu { get; init; }

    /// <summary>The same of the backend's processes.</summary>
    public double? PeakDatabaseCpu { get; init; }

    /// <summary>The requests of one scenario, each of whose steps is one.</summary>
    /// <param name="measured">Its iterations and steps.</param>
    /// <param name="timeline">With what was sampled of the processes.</param>
    /// <param name="rampUp">How long the load rose; zero where all of it was there at once.</param>
    public static RequestResult Of(ScenarioStats measured, TimelineResult timeline, TimeSpan rampUp)
    {
        ArgumentNullException.ThrowIfNull(measured);
        ArgumentNullException.ThrowIfNull(timeline);
        var failed = measured.Steps.Sum(step => step.Fail.Count);
        var (received, sent) = (measured.Steps.Sum(step => step.Ok.SizeBytes), measured.Steps.Sum(step => step.Ok.SentBytes));
        return new RequestResult
        {
            Count = failed + measured.Steps.Sum(step => step.Ok.Count),
            Failed = failed,
            PerSecond = RateOf(measured, rampUp),
            Latency = LatencyResult.From(LatencyHistogram.MergeAll(measured.Steps.Select(step => step.Ok.Service))),
            ReceivedBytes = received + sent == 0 ? null : received,
            SentBytes = received + sent == 0 ? null : sent,
            PeakServiceCpu = timeline.Points.Max(point => point.Cpu?.Service),
            PeakDatabaseCpu = timeline.Points.Max(point => point.Cpu?.Database),
        };
    }

    /// <summary>
    /// Requests per second of real time. A ramp has fewer users than the load that it leads to, and would make its rate look lower: where
    /// points of the timeline lie between the end of the ramp and the planned end, the rate is theirs.
    /// </summary>
    public static double RateOf(ScenarioStats measured, TimeSpan rampUp)
    {
        ArgumentNullException.ThrowIfNull(measured);
        var requests = (double)measured.Steps.Sum(step => step.Ok.Count + step.Fail.Count);
        var iterations = measured.Ok.Count + measured.Fail.Count;
        var (each, end) = (measured.Timeline.IntervalMs, measured.PlannedDuration?.TotalMilliseconds ?? 0);
        TimelinePoint[] held =
        [
            .. measured.Timeline.Points.Where(point => point.TMs >= rampUp.TotalMilliseconds && point.TMs + each <= end),
        ];
        return rampUp > TimeSpan.Zero && held.Length > 0 && iterations > 0
            ? held.Sum(point => point.Completed + point.Failed) * requests / iterations / (held.Length * each / 1000.0)
            : measured.LoadedDuration > TimeSpan.Zero ? requests / measured.LoadedDuration.TotalSeconds : 0;
    }

    /// <summary>
    /// The requests of several scenarios that ran at the same time; null where those of one are not known. Of loads that ran one after the
    /// other all but <see cref="PerSecond"/>, which is their sum.
    /// </summary>
    public static RequestResult? SumOf(IReadOnlyList<RequestResult?> parts)
    {
        ArgumentNullException.ThrowIfNull(parts);
        RequestResult[] known = [.. parts.OfType<RequestResult>()];
        return known.Length < parts.Count || known.Length == 0 ? null : new RequestResult
        {
            Count = known.Sum(part => part.Count),
            Failed = known.Sum(part => part.Failed),
            PerSecond = known.Sum(part => part.PerSecond),
            Latency = LatencyResult.From(LatencyHistogram.MergeAll(
                known.Where(part => part.Latency.Histogram is not null).Select(part => LatencyHistogram.Parse(part.Latency.Histogram!)))),
            ReceivedBytes = known.Any(part => part.ReceivedBytes is null) ? null : known.Sum(part => part.ReceivedBytes),
            SentBytes = known.Any(part => part.SentBytes is null) ? null : known.Sum(part => part.SentBytes),
            PeakServiceCpu = known.Max(part => part.PeakServiceCpu),
            PeakDatabaseCpu = known.Max(part => part.PeakDatabaseCpu),
        };
    }
}

/// <summary>A part of a soak: what one process measured.</summary>
public sealed record SoakSegment
{
    /// <summary>When it was prepared, UTC.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>How long its load is known to have lasted, milliseconds.</summary>
    public required double DurationMs { get; init; }

    public required long Completed { get; init; }
    public required long Failed { get; init; }

    /// <summary>Latency of what completed.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>Whether its process died: what was in flight then has no account.</summary>
    public required bool Died { get; init; }
}
