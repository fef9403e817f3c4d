namespace LoadTesting.Core.Load;

/// <summary>
/// What one scenario measured. It balances: <see cref="Requested"/> = <see cref="Started"/> + <see cref="Dropped"/>, and
/// <see cref="Started"/> = <c>Ok.Count</c> + <c>Fail.Count</c> + <see cref="Unfinished"/>.
/// </summary>
public sealed record ScenarioStats
{
    /// <summary>The scenario.</summary>
    public required string Name { get; init; }

    /// <summary>Open or closed; decides which clock is the headline.</summary>
    public required LoadModel Model { get; init; }

    /// <summary>The load in words, one entry for each simulation.</summary>
    public required IReadOnlyList<string> Simulations { get; init; }

    /// <summary>How long the load was to last, with its pauses; null where that follows from a number of iterations and how long each takes.</summary>
    public required TimeSpan? PlannedDuration { get; init; }

    /// <summary>How long it did last: until the schedule and every started iteration had ended, or the completion timeout had passed.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>The part of <see cref="Duration"/> in which a pause let nothing start and nothing was in flight; zero without pauses. Rates leave it
    /// out. The part in which earlier iterations were still running is load: a pause must not make a target that lags behind look faster.</summary>
    public TimeSpan Paused { get; init; }

    /// <summary>Iterations that the simulations asked for.</summary>
    public required long Requested { get; init; }

    /// <summary>Iterations whose body was entered.</summary>
    public required long Started { get; init; }

    /// <summary>Iterations that never started: too many in flight, no thread within the completion timeout, or the run was stopped.</summary>
    public required long Dropped { get; init; }

    /// <summary>The part of <see cref="Dropped"/> that <see cref="ScenarioProps.MaxInFlight"/> kept from starting.</summary>
    public required long DroppedInFlightLimit { get; init; }

    /// <summary>The part of <see cref="Dropped"/> that was asked for after the run had been stopped.</summary>
    public required long DroppedAfterStop { get; init; }

    /// <summary>Iterations that were still running when the completion timeout had passed.</summary>
    public required long Unfinished { get; init; }

    /// <summary>Iterations that started after the simulation they belong to had ended.</summary>
    public required long StartedLate { get; init; }

    /// <summary>Successful iterations.</summary>
    public required MeasurementStats Ok { get; init; }

    /// <summary>Failed iterations.</summary>
    public required MeasurementStats Fail { get; init; }

    /// <summary>Intended to actual start of every iteration that has ended; empty in a closed model, which intends nothing.</summary>
    public required LatencyHistogram ScheduleLag { get; init; }

    /// <summary>The steps in the order in which they were first seen.</summary>
    public required IReadOnlyList<StepStats> Steps { get; init; }

    /// <summary>A stall that the closed model hides from its percentiles; null where none was found, or the model is open.</summary>
    public HiddenStall? HiddenStall { get; init; }

    /// <summary>The thresholds, judged.</summary>
    public IReadOnlyList<ThresholdResult> Thresholds { get; init; } = [];

    /// <summary>The real time that rates are over: <see cref="Duration"/> without <see cref="Paused"/>.</summary>
    public TimeSpan LoadedDuration => Duration - Paused;

    /// <summary>Successful iterations per second of real time, without pauses.</summary>
    public double ThroughputPerSecond => Ok.RatePerSecond;

    /// <summary>Started iterations per second of real time, without pauses.</summary>
    public double StartedPerSecond => LoadedDuration > TimeSpan.Zero ? Started / LoadedDuration.TotalSeconds : 0;

    /// <summary>The step of that name.</summary>
    /// <exception cref="KeyNotFoundException">There is none; the message lists those there are.</exception>
    public StepStats Step(string name) => FindStep(name)
        ?? throw new KeyNotFoundException($"Scenario '{Name}' recorded no step '{name}', only {string.Join(", ", Steps.Select(step => $"'{step.Name}'"))}.");

    /// <summary>The step of that name, or null where it never ran.</summary>
    public StepStats? FindStep(string name) => Steps.FirstOrDefault(step => step.Name == name);
}
