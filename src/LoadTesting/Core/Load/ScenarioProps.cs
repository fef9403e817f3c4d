namespace LoadTesting.Core.Load;

/// <summary>
/// A scenario and its settings. Immutable: every <c>With</c> returns a new value, and dropping that value drops the
/// setting.
/// </summary>
public sealed record ScenarioProps
{
    internal ScenarioProps(string name, Func<IScenarioContext, Task<IResponse>> run) =>
        (ScenarioName, Run) = (name, run);

    /// <summary>Unique within a run.</summary>
    public string ScenarioName { get; }

    public Func<IScenarioContext, Task<IResponse>> Run { get; }

    /// <summary>Whether it was created by <see cref="Scenario.Empty"/>.</summary>
    public bool IsEmpty { get; internal init; }

    /// <summary>Runs once before the load, unmeasured; null for none.</summary>
    public Func<IScenarioInitContext, Task>? Init { get; private init; }

    /// <summary>Runs once after the load, also if the load failed or was cancelled; null for none.</summary>
    public Func<IScenarioInitContext, Task>? Clean { get; private init; }

    /// <summary>Duration of the warm-up, whose measurements are discarded; null (the default) for none.</summary>
    public TimeSpan? WarmUpDuration { get; private init; }

    /// <summary>The consecutive simulations of the load: all open or all closed, with pauses anywhere.</summary>
    public IReadOnlyList<LoadSimulation> LoadSimulations { get; private init; } = [];

    /// <summary>
    /// Judged when the run has ended; those with <see cref="Threshold.AbortWhen"/> also once a second.
    /// </summary>
    public IReadOnlyList<Threshold> Thresholds { get; private init; } = [];

    /// <summary>
    /// Whether a failed step ends its iteration (by <see cref="StepFailedException"/>). Default true.
    /// </summary>
    public bool RestartIterationOnFail { get; private init; } = true;

    /// <summary>Failed iterations beyond which the run is stopped. Default 5,000.</summary>
    public int MaxFailCount { get; private init; } = 5_000;

    /// <summary>
    /// Open model: arrivals are dropped and counted while this many iterations are queued or running. Default 50,000,
    /// about 50 MB.
    /// </summary>
    public int MaxInFlight { get; private init; } = 50_000;

    /// <summary>Open or closed, by the first simulation that is not a pause.</summary>
    internal LoadModel Model { get; private init; }

    public ScenarioProps WithInit(Func<IScenarioInitContext, Task> init) => this with { Init = NotNull(init) };

    public ScenarioProps WithClean(Func<IScenarioInitContext, Task> clean) => this with { Clean = NotNull(clean) };

    /// <summary>
    /// Sets <see cref="WarmUpDuration"/>. The warm-up is the scenario's first simulation that is not a pause, with this
    /// duration; a ramp becomes steeper.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not longer than zero.</exception>
    public ScenarioProps WithWarmUpDuration(TimeSpan duration) => duration > TimeSpan.Zero
        ? this with { WarmUpDuration = duration }
        : throw new ArgumentOutOfRangeException(
            nameof(duration), duration, $"A warm-up of {duration} is not longer than zero; use WithoutWarmUp().");

    public ScenarioProps WithoutWarmUp() => this with { WarmUpDuration = null };

    /// <exception cref="ArgumentException">None given, nothing but pauses, a ramp from 0 to 0, or open and closed ones
    /// mixed: their latencies mean different things.</exception>
    public ScenarioProps WithLoadSimulations(params LoadSimulation[] loadSimulations) =>
        WithLoad(loadSimulations, mayMix: false);

    /// <summary>
    /// Like <see cref="WithLoadSimulations"/>, but may mix open and closed simulations. A mixed scenario is open: its
    /// latency is the response time of scheduled iterations and the service time of the others, which have no schedule
    /// lag.
    /// </summary>
    /// <exception cref="ArgumentException">None given, nothing but pauses, or a ramp from 0 to 0.</exception>
    public ScenarioProps WithMixedLoadSimulations(params LoadSimulation[] loadSimulations) =>
        WithLoad(loadSimulations, mayMix: true);

    private ScenarioProps WithLoad(LoadSimulation[] loadSimulations, bool mayMix)
    {
        NotNull(loadSimulations);
        if (IsEmpty)
        {
            throw new InvalidOperationException(
                $"Scenario '{ScenarioName}' is empty and can have no load; use Scenario.Create.");
        }

        if (loadSimulations.Length == 0)
        {
            throw new ArgumentException(
                $"Scenario '{ScenarioName}' was given no load simulation; give at least one.", nameof(loadSimulations));
        }

        var models = loadSimulations.Select(simulation => NotNull(simulation).Model).OfType<LoadModel>().Distinct()
            .ToArray();
        if (models.Length == 0 || (models.Length > 1 && !mayMix))
        {
            var load = string.Join("; ", loadSimulations.AsEnumerable());
            throw new ArgumentException(
                models.Length == 0
                    ? $"Scenario '{ScenarioName}' was given nothing but pauses ({load}); give it at least one "
                        + "simulation that starts something."
                    : $"Scenario '{ScenarioName}' mixes open and closed load ({load}), whose latencies mean different "
                        + "things; make two scenarios, or use WithMixedLoadSimulations.",
                nameof(loadSimulations));
        }

        return this with
        {
            LoadSimulations = Chained(loadSimulations),
            Model = models.Contains(LoadModel.Open) ? LoadModel.Open : LoadModel.Closed,
        };
    }

    public ScenarioProps WithThresholds(params Threshold[] thresholds) =>
        this with { Thresholds = [.. NotNull(thresholds).Select(threshold => NotNull(threshold))] };

    public ScenarioProps WithRestartIterationOnFail(bool shouldRestart) =>
        this with { RestartIterationOnFail = shouldRestart };

    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public ScenarioProps WithMaxFailCount(int maxFailCount) => maxFailCount >= 0
        ? this with { MaxFailCount = maxFailCount }
        : throw new ArgumentOutOfRangeException(
            nameof(maxFailCount), maxFailCount,
            $"A maximum of {maxFailCount} failures is negative; 0 stops at the first one.");

    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public ScenarioProps WithMaxInFlight(int maxInFlight) => maxInFlight >= 1
        ? this with { MaxInFlight = maxInFlight }
        : throw new ArgumentOutOfRangeException(
            nameof(maxInFlight), maxInFlight,
            $"A maximum of {maxInFlight} iterations in flight lets none start; it is at least 1.");

    /// <summary>The share of one part of the load, without thresholds, which judge the whole load.</summary>
    /// <exception cref="ArgumentException">There are fewer copies than parts.</exception>
    public ScenarioProps ShareOf(LoadPart part)
    {
        ArgumentNullException.ThrowIfNull(part);
        var of = part.Of;
        if (LoadSimulations.OfType<ClosedSimulation>()
            .FirstOrDefault(closed => closed.Copies > 0 && closed.Copies < of) is { } few)
        {
            throw new ArgumentException(
                $"Scenario '{ScenarioName}' cannot be divided: '{few}' has fewer copies than the {of} parts; use "
                    + $"{few.Copies} parts at most.",
                nameof(part));
        }

        return this with
        {
            LoadSimulations = [.. LoadSimulations.Select(simulation => simulation.ShareOf(part))],
            MaxInFlight = (MaxInFlight + of - 1) / of,
            Thresholds = [],
        };
    }

    private LoadSimulation[] Chained(LoadSimulation[] simulations)
    {
        var chained = new LoadSimulation[simulations.Length];
        for (var index = 0; index < simulations.Length; index++)
        {
            chained[index] = simulations[index].After(index == 0 ? null : chained[index - 1]);
            if (chained[index] is RampingInjectSimulation { Rate: 0, From.Iterations: 0 }
                or RampingConstantSimulation { Copies: 0, FromCopies: 0 })
            {
                throw new ArgumentException(
                    $"Scenario '{ScenarioName}' has a '{chained[index]}', which starts nothing; "
                        + "raise it, or use Simulation.Pause.",
                    nameof(simulations));
            }
        }

        return chained;
    }

    private static T NotNull<T>(
        T value, [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(value))] string? name = null)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return value;
    }
}
