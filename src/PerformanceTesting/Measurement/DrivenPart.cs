namespace PerformanceTesting.Measurement;

/// <summary>
/// The part of a load that this process drives while other processes drive the other parts. All parts begin together,
/// and the result says what the system must have counted for this part. Place it before the observers that watch the
/// load.
/// </summary>
/// <param name="part">Which part.</param>
public sealed class DrivenPart(LoadPart part) : IRunObserver
{
    /// <summary>The time that the observers after this one need to start.</summary>
    private static readonly TimeSpan Ahead = TimeSpan.FromMilliseconds(300);

    private readonly List<OperationTally> _warmUps = [];
    private ServiceClock _clock = new(TimeSpan.Zero, TimeSpan.Zero);
    private long? _start;

    public LoadPart Part => part;

    /// <summary>Identity of the assembly that holds the scenario.</summary>
    public required string Build { get; init; }

    /// <summary>Start of each process of the service, seconds since 1970, by its address.</summary>
    public required IReadOnlyDictionary<string, double> Services { get; init; }

    /// <summary>What the service had counted before the warm-up.</summary>
    public IReadOnlyList<PartCount> Before { get; init; } = [];

    /// <summary>
    /// When the load begins, by the service's clock. Null (the default) for as soon as it is prepared.
    /// </summary>
    public DateTimeOffset? StartAt { get; init; }

    /// <summary>Reads the service's clock.</summary>
    public required Func<CancellationToken, Task<ServiceClock>> ReadClockAsync { get; init; }

    /// <summary>Reads the clocks, and waits until shortly before the load begins.</summary>
    /// <exception cref="ArgumentException">That moment has passed; the message says what to do.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _clock = await ReadClockAsync(cancellationToken);
        if (StartAt is not { } due)
        {
            return;
        }

        var left = due - TimeProvider.System.GetUtcNow() - _clock.Offset;
        _start = Stopwatch.GetTimestamp() + (long)(left.TotalSeconds * Stopwatch.Frequency);
        if (left < Ahead)
        {
            throw new ArgumentException(FormattableString.Invariant(
                $"Part {part} was prepared {(Ahead - left).TotalSeconds:0.0} s too late for --start-at {due.UtcDateTime:O}, by the ")
                + "service's clock. Start all parts again with a later instant.");
        }

        await Task.Delay(left - Ahead, cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Adds what the service must have counted for this part.</summary>
    public void AddTo(RunEvidence evidence)
    {
        OperationTally[] all = [.. _warmUps, .. evidence.Tallies];
        var unknown = all.Sum(tally => tally.Count(SendOutcome.Unknown));
        evidence.PartCounts =
        [
            .. Before.Select(count => (Count: count, Least: all.Sum(tally =>
                    count.Name == PartCount.Completed ? tally.Completed : tally.Count(SendOutcome.Accepted))))
                .Select(known => known.Count with { Least = known.Least, Most = known.Least + unknown }),
        ];
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Operations that warmed up, which the service counts too.</summary>
    internal void AddWarmUp(OperationTally tally) => _warmUps.Add(tally);

    /// <summary>Waits for the instant at which the load begins, and gives it in Stopwatch ticks.</summary>
    internal async Task<long> WaitForStartAsync(CancellationToken cancellationToken)
    {
        var start = _start ?? Stopwatch.GetTimestamp();
        if (Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), start) is { Ticks: > 0 } rest)
        {
            await Task.Delay(rest, cancellationToken);
        }

        return start;
    }

    /// <summary>The part's section of the result, after the load.</summary>
    internal PartResult ToResult(LoadResult load) => new()
    {
        Index = part.Index,
        Of = part.Of,
        Host = Environment.MachineName,
        Build = Build,
        Services = Services,
        StartedUtc = load.StartedUtc + _clock.Offset,
        EndedUtc = load.StartedUtc + _clock.Offset + load.Duration,
        ClockOffsetMs = _clock.Offset.TotalMilliseconds,
        ClockErrorMs = _clock.Error.TotalMilliseconds,
        Found = new(VerdictOutcome.Inconclusive, ["not judged yet"]),
    };

    /// <summary>The result of a part has no verdict: what the part found is kept beside it.</summary>
    internal static ScenarioResult WithoutVerdict(
        ScenarioResult result) => result.Part is not { } part ? result : result with
    {
        Part = part with { Found = result.Verdict },
        Verdict = new(
            VerdictOutcome.Inconclusive,
            [$"{part} alone: 'wfperf merge' judges it with the others",
                .. result.Verdict.Reasons.Select(reason => $"found: {reason}")]),
    };
}
