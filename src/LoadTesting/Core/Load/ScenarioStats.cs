namespace LoadTesting.Core.Load;

/// <summary>
/// The measurements of one scenario. They balance: <see cref="Requested"/> = <see cref="Started"/> +
/// <see cref="Dropped"/>, and <see cref="Started"/> = <c>Ok.Count</c> + <c>Fail.Count</c> + <see cref="Unfinished"/>.
/// </summary>
public sealed record ScenarioStats
{
    /// <summary>Maximum number of <see cref="Gaps"/>.</summary>
    public const int MostGaps = 100;

    public required string Name { get; init; }

    /// <summary>Open or closed; determines the clock of the latency.</summary>
    public required LoadModel Model { get; init; }

    /// <summary>The load as text, one entry per simulation.</summary>
    public required IReadOnlyList<string> Simulations { get; init; }

    /// <summary>
    /// Planned duration of the load including pauses; null if a simulation ends after a number of iterations.
    /// </summary>
    public required TimeSpan? PlannedDuration { get; init; }

    /// <summary>
    /// Actual duration: until the schedule and all started iterations had ended, or the completion timeout had passed.
    /// </summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>
    /// The part of <see cref="Duration"/> in pauses during which nothing was in flight; zero without pauses. Rates
    /// exclude it. While earlier iterations are still running, a pause counts as load: it must not make a slow target
    /// look faster.
    /// </summary>
    public TimeSpan Paused { get; init; }

    /// <summary>Iterations that the simulations requested.</summary>
    public required long Requested { get; init; }

    /// <summary>Iterations whose body was entered.</summary>
    public required long Started { get; init; }

    /// <summary>
    /// Iterations that never started: too many in flight, no free thread within the completion timeout, or the run was
    /// stopped.
    /// </summary>
    public required long Dropped { get; init; }

    /// <summary>The part of <see cref="Dropped"/> caused by <see cref="ScenarioProps.MaxInFlight"/>.</summary>
    public required long DroppedInFlightLimit { get; init; }

    /// <summary>
    /// The part of <see cref="Dropped"/> caused by a stop. Remaining Poisson arrivals and random rates are not drawn:
    /// they count with their expected number.
    /// </summary>
    public required long DroppedAfterStop { get; init; }

    /// <summary>Iterations that were still running when the completion timeout had passed.</summary>
    public required long Unfinished { get; init; }

    /// <summary>Iterations that started after the end of their simulation.</summary>
    public required long StartedLate { get; init; }

    public required MeasurementStats Ok { get; init; }
    public required MeasurementStats Fail { get; init; }

    /// <summary>Intended to actual start of all ended iterations; empty in a closed model.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>The steps in the order in which they were first seen.</summary>
    public required IReadOnlyList<StepStats> Steps { get; init; }

    /// <summary>The iterations over time; its sums equal the counts.</summary>
    public TimelineResult Timeline { get; init; } = new() { IntervalMs = 1000, Points = [] };

    /// <summary>
    /// Times without a completion although work was in flight, in order. Percentiles of a closed model hide them.
    /// </summary>
    public IReadOnlyList<StallResult> Stalls { get; init; } = [];

    /// <summary>
    /// Times of a second or longer without a completion although work was in flight, for any service time, in order;
    /// the longest <see cref="MostGaps"/>. For loads that are too short to know their service time, such as a warm-up:
    /// <see cref="ShortestStall"/> of the following load determines which of them are stalls.
    /// </summary>
    public IReadOnlyList<StallResult> Gaps { get; init; } = [];

    /// <summary>Failures by code and message, the most frequent first.</summary>
    public IReadOnlyList<ErrorResult> Errors { get; init; } = [];

    public IReadOnlyList<ThresholdResult> Thresholds { get; init; } = [];

    /// <summary>Why the scenario or the run was stopped; null if it was not.</summary>
    public string? StopReason { get; init; }

    /// <summary>
    /// The measurements of the warm-up, which no other figure includes; null without
    /// <see cref="ScenarioProps.WarmUpDuration"/>. They have no thresholds.
    /// </summary>
    public ScenarioStats? WarmUp { get; init; }

    /// <summary>The part of <see cref="DroppedAfterStop"/> that was not due yet. Live figures exclude it.</summary>
    internal long NotDue { get; init; }

    /// <summary>The record behind <see cref="Timeline"/>; null before it is complete.</summary>
    internal Timeline? Recorded { get; init; }

    /// <summary>Samples taken beside the load; null before it is complete.</summary>
    internal LoadSamples? Samples { get; init; }

    /// <summary>
    /// The minimum length of a stall: ten median service times. Shorter gaps are the pace of the load.
    /// </summary>
    public TimeSpan ShortestStall => StallFinder.Medians * TimeSpan.FromMicroseconds(
        LatencyHistogram.MergeAll([Ok.Service, Fail.Service]).PercentileNanoseconds(50) / 1000.0);

    /// <summary>The time base of rates: <see cref="Duration"/> without <see cref="Paused"/>.</summary>
    public TimeSpan LoadedDuration => Duration - Paused;

    /// <summary>Successful iterations per second of real time, without pauses.</summary>
    public double ThroughputPerSecond => Ok.RatePerSecond;

    /// <summary>Started iterations per second of real time, without pauses.</summary>
    public double StartedPerSecond => LoadedDuration > TimeSpan.Zero ? Started / LoadedDuration.TotalSeconds : 0;

    /// <summary>The step with a name.</summary>
    /// <exception cref="KeyNotFoundException">There is none; the message lists the existing ones.</exception>
    public StepStats Step(string name) => FindStep(name)
        ?? throw new KeyNotFoundException(
            $"Scenario '{Name}' recorded no step '{name}', only "
                + $"{string.Join(", ", Steps.Select(step => $"'{step.Name}'"))}.");

    /// <summary>The step with a name; null if it never ran.</summary>
    public StepStats? FindStep(string name) => Steps.FirstOrDefault(step => step.Name == name);
}
