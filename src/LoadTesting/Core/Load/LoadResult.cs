namespace LoadTesting.Core.Load;

public sealed record LoadResult
{
    /// <summary>When the measured load started.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>Real time from there until the last scenario had ended; without init, warm-up and clean.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>In the order in which they were given.</summary>
    public required IReadOnlyList<ScenarioStats> Scenarios { get; init; }

    /// <summary>Whether the generator could follow.</summary>
    public required GeneratorHealth Health { get; init; }

    /// <summary>Who started the iterations.</summary>
    public string Engine { get; init; } = LoadRunner.BuiltInEngine;

    /// <summary>What a reader must know about that engine; empty for the built-in one.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Why the run ended early; null where it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>Whether that was <see cref="LoadOptions.Interruption"/>.</summary>
    public bool IsInterrupted { get; init; }

    /// <exception cref="KeyNotFoundException">There is none; the message lists those there are.</exception>
    public ScenarioStats Scenario(string name) => Scenarios.FirstOrDefault(scenario => scenario.Name == name)
        ?? throw new KeyNotFoundException(
            $"The run has no scenario '{name}', only {string.Join(", ", Scenarios.Select(scenario => $"'{scenario.Name}'"))}.");
}

/// <summary>
/// What one scenario measured. It balances: <see cref="Requested"/> = <see cref="Started"/> + <see cref="Dropped"/>, and
/// <see cref="Started"/> = <c>Ok.Count</c> + <c>Fail.Count</c> + <see cref="Unfinished"/>.
/// </summary>
public sealed record ScenarioStats
{
    public required string Name { get; init; }

    /// <summary>Open or closed; decides which clock is the headline.</summary>
    public required LoadModel Model { get; init; }

    /// <summary>The load as text, one entry for each simulation.</summary>
    public required IReadOnlyList<string> Simulations { get; init; }

    /// <summary>
    /// How long the load was to last, with its pauses; null where that follows from a number of iterations and how long each takes.
    /// </summary>
    public required TimeSpan? PlannedDuration { get; init; }

    /// <summary>
    /// How long it did last: until the schedule and every started iteration had ended, or the completion timeout had passed.
    /// </summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>
    /// The part of <see cref="Duration"/> in which a pause let nothing start and nothing was in flight; zero without pauses. Rates leave it
    /// out. The part in which earlier iterations were still running is load: a pause must not make a target that lags behind look faster.
    /// </summary>
    public TimeSpan Paused { get; init; }

    /// <summary>Iterations that the simulations asked for.</summary>
    public required long Requested { get; init; }

    /// <summary>Iterations whose body was entered.</summary>
    public required long Started { get; init; }

    /// <summary>
    /// Iterations that never started: too many in flight, no thread within the completion timeout, or the run was stopped.
    /// </summary>
    public required long Dropped { get; init; }

    /// <summary>The part of <see cref="Dropped"/> that <see cref="ScenarioProps.MaxInFlight"/> kept from starting.</summary>
    public required long DroppedInFlightLimit { get; init; }

    /// <summary>The part of <see cref="Dropped"/> that was asked for after the run had been stopped.</summary>
    public required long DroppedAfterStop { get; init; }

    /// <summary>Iterations that were still running when the completion timeout had passed.</summary>
    public required long Unfinished { get; init; }

    /// <summary>Iterations that started after the simulation they belong to had ended.</summary>
    public required long StartedLate { get; init; }

    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>Intended to actual start of every iteration that has ended; empty in a closed model, which intends nothing.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>The steps in the order in which they were first seen.</summary>
    public required IReadOnlyList<StepStats> Steps { get; init; }

    /// <summary>The iterations over time; its sums are the counts above. Empty in a warm-up.</summary>
    public TimelineResult Timeline { get; init; } = new() { IntervalMs = 1000, Points = [] };

    /// <summary>When nothing ended although work was in flight, in order. A closed model hides such times from its percentiles.</summary>
    public IReadOnlyList<StallResult> Stalls { get; init; } = [];

    /// <summary>Failures by code and message, the most frequent first.</summary>
    public IReadOnlyList<ErrorResult> Errors { get; init; } = [];

    public IReadOnlyList<ThresholdResult> Thresholds { get; init; } = [];

    /// <summary>Why it ended early, alone or with the run; null where it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>What <see cref="Timeline"/> was made of; null in a warm-up.</summary>
    internal Timeline? Recorded { get; init; }

    /// <summary>What was sampled beside the load; null in a warm-up.</summary>
    internal LoadSamples? Samples { get; init; }

    /// <summary>The real time that rates are over: <see cref="Duration"/> without <see cref="Paused"/>.</summary>
    public TimeSpan LoadedDuration => Duration - Paused;

    /// <summary>Successful iterations per second of real time, without pauses.</summary>
    public double ThroughputPerSecond => Ok.RatePerSecond;

    /// <summary>Started iterations per second of real time, without pauses.</summary>
    public double StartedPerSecond => LoadedDuration > TimeSpan.Zero ? Started / LoadedDuration.TotalSeconds : 0;

    /// <exception cref="KeyNotFoundException">There is none; the message lists those there are.</exception>
    public StepStats Step(string name) => FindStep(name)
        ?? throw new KeyNotFoundException(
            $"Scenario '{Name}' recorded no step '{name}', only {string.Join(", ", Steps.Select(step => $"'{step.Name}'"))}.");

    /// <summary>The step of that name, or null where it never ran.</summary>
    public StepStats? FindStep(string name) => Steps.FirstOrDefault(step => step.Name == name);
}

/// <summary>
/// What one step measured. A step has no schedule of its own: had its iteration started on time, it would have started earlier by the
/// iteration's schedule lag, so that lag is the step's lag, and its response time is its service time and that lag.
/// </summary>
public sealed record StepStats
{
    public required string Name { get; init; }
    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>Schedule lag of the iterations it ran in; empty in a closed model.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>
    /// Measurements whose end lay before their start and which were counted as zero: their stamps come from different clocks or places.
    /// </summary>
    public required long EndBeforeStart { get; init; }

    internal static StepStats From(string name, MeterStripe meter, LoadModel model, TimeSpan duration)
    {
        var ended = meter.Ok.Count + meter.Fail.Count;
        return new StepStats
        {
            Name = name,
            Ok = meter.Ok.ToResult(model, ended, duration),
            Fail = meter.Fail.ToResult(model, ended, duration),
            ScheduleLag = meter.ScheduleLag,
            EndBeforeStart = meter.EndBeforeStart,
        };
    }
}

/// <summary>The successes, or the failures, of a scenario or a step.</summary>
public sealed record MeasurementStats
{
    /// <summary>Open or closed; decides which clock <see cref="Latency"/> is.</summary>
    public required LoadModel Model { get; init; }

    public required long Count { get; init; }

    /// <summary>Share of all that ended, 0 to 100; 0 where nothing ended.</summary>
    public required double Percent { get; init; }

    /// <summary>Per second of real time, not of planned time, and without pauses.</summary>
    public required double RatePerSecond { get; init; }

    /// <summary>Bytes moved, as far as the responses said.</summary>
    public required long SizeBytes { get; init; }

    /// <summary>Bytes that requests took, as far as the responses said.</summary>
    public long SentBytes { get; init; }

    /// <summary>How those bytes are spread over the responses that named any.</summary>
    public SizeDistribution Sizes { get; init; } = SizeDistribution.Empty;

    /// <summary>Actual start to end.</summary>
    public required LatencyHistogram Service { get; init; }

    /// <summary>Intended start to end; the same as <see cref="Service"/> in a closed model, which intends nothing.</summary>
    public required LatencyHistogram Response { get; init; }

    /// <summary>The headline: response time in an open model, service time in a closed one.</summary>
    public LatencyHistogram Latency => Model == LoadModel.Open ? Response : Service;

    /// <summary>Counts by status code, the most frequent first.</summary>
    public required IReadOnlyList<StatusCodeCount> StatusCodes { get; init; }
}

/// <summary>
/// Sizes of responses in bytes, of those that were not 0. Minimum, maximum and mean are exact, percentiles within 1 %, as those of a
/// <see cref="LatencyHistogram"/>. Everything is 0 where no response named a size.
/// </summary>
public sealed class SizeDistribution
{
    private readonly LatencyHistogram _bytes;

    /// <param name="bytes">A byte is kept as a nanosecond.</param>
    internal SizeDistribution(LatencyHistogram bytes) => _bytes = bytes;

    /// <summary>A byte is kept as a nanosecond.</summary>
    internal LatencyHistogram Histogram => _bytes;

    public static SizeDistribution Empty { get; } = new(new LatencyHistogram());

    /// <summary>How many responses named a size.</summary>
    public long Count => _bytes.Count;

    public long MinBytes => _bytes.PercentileNanoseconds(0);
    public long MaxBytes => _bytes.PercentileNanoseconds(100);
    public double MeanBytes => Count == 0 ? 0 : _bytes.AverageMs * BytesPerUnit;

    /// <summary>Standard deviation of all of them; within 2 %, as it is made of buckets.</summary>
    public double StandardDeviationBytes => Count == 0 ? 0 : _bytes.StandardDeviationMs * BytesPerUnit;

    private const double BytesPerUnit = 1_000_000;

    /// <param name="percentile">0 to 100.</param>
    public long PercentileBytes(double percentile)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(percentile);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percentile, 100);
        return _bytes.PercentileNanoseconds(percentile);
    }
}

/// <summary>How often a status code was given.</summary>
/// <param name="StatusCode">The code; empty where the responses had none, "other" for all past the hundredth.</param>
/// <param name="Count">How often.</param>
/// <param name="Message">The first message that came with it; empty where none did.</param>
public sealed record StatusCodeCount(string StatusCode, long Count, string Message);
