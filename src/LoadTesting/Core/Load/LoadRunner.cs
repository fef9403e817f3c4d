namespace LoadTesting.Core.Load;

/// <summary>
/// Runs scenarios side by side and measures them. Runners are independent: they share no state and write nothing.
/// </summary>
/// <param name="timeProvider">The clock that dates a run. Default: the system's clock. The load itself follows the
/// monotonic clock of <see cref="Stopwatch"/>.</param>
/// <param name="engine">Starts the measured iterations in place of the built-in engine, which still warms up. Default:
/// the built-in engine.</param>
public sealed class LoadRunner(TimeProvider? timeProvider = null, ILoadEngine? engine = null)
{
    /// <summary>The name of the built-in engine in results.</summary>
    public const string BuiltInEngine = "builtin";

    /// <summary>The stop reason of a load that was interrupted.</summary>
    internal const string Interrupted = "interrupted";

    private readonly TimeProvider _timeProvider = timeProvider ?? TimeProvider.System;

    /// <summary>Initialises all scenarios, warms them up, loads them at the same time, and cleans up.</summary>
    /// <param name="scenarios">At least one; names are unique and each has a load simulation.</param>
    /// <param name="options">Settings.</param>
    /// <param name="cancellationToken">Stops the load and cancels running iterations; the result is lost.</param>
    /// <exception cref="ArgumentException">The scenarios or options cannot be run; the message lists everything that is
    /// wrong.</exception>
    /// <exception cref="InvalidOperationException">Init or clean failed; see the inner exception.</exception>
    /// <exception cref="OperationCanceledException">Cancelled, after everything had ended or the completion timeout had
    /// passed.</exception>
    public async Task<LoadResult> RunAsync(
        IReadOnlyList<ScenarioProps> scenarios, LoadOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(scenarios);
        ArgumentNullException.ThrowIfNull(options);
        RunValidation.ThrowIfInvalid(scenarios, options);
        cancellationToken.ThrowIfCancellationRequested();

        var prepared = new List<ScenarioProps>();
        LoadResult? result = null;
        Exception? failure = null;
        try
        {
            foreach (var scenario in scenarios)
            {
                prepared.Add(scenario);
                await CallAsync(scenario, "WithInit", scenario.Init, ScenarioOperation.Init, cancellationToken)
                    .ConfigureAwait(false);
            }

            result = await LoadAsync([.. scenarios.Where(scenario => !scenario.IsEmpty)], options, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        await CleanAsync(prepared, failure).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        return result!;
    }

    private async Task<LoadResult> LoadAsync(
        IReadOnlyList<ScenarioProps> scenarios, LoadOptions options, CancellationToken cancellationToken)
    {
        var control = new RunControl(cancellationToken);
        await using var registration = cancellationToken.UnsafeRegister(
            static state => ((RunControl)state!).Stop("cancelled by the caller"), control).ConfigureAwait(false);
        await using var interruption = options.Interruption.UnsafeRegister(
            static state => ((RunControl)state!).Stop(Interrupted), control).ConfigureAwait(false);

        var warmUps = await WarmUpAsync(scenarios, options, control).ConfigureAwait(false);
        var runs = scenarios.Select(scenario =>
            new ScenarioRun(scenario, ScenarioOperation.Bombing, options, control, knowsSchedule: engine is null))
                .ToArray();

        long? agreed = options.WaitForStart is { } wait ? await wait(cancellationToken).ConfigureAwait(false) : null;
        var startedUtc = _timeProvider.GetUtcNow();
        var start = agreed ?? Stopwatch.GetTimestamp();
        Array.ForEach(runs, run => run.AgreedStart = agreed);
        var samples = new LoadSamples(start);
        var consumer = options.ConsumerWork is { } work ? new ConsumerWatch(work) : null;
        var live = options.Metrics is { } metrics
            ? new LivePublisher(metrics, [.. runs.Select(run => new LiveScenario(run))], samples)
            : null;
        var sampler = GeneratorSampler.Start(samples, consumer);
        var intervals = options.OnInterval is null ? null : new IntervalReporter(runs, options, control, start);
        Action<long>?[] everySecond =
        [
            live is null ? null : live.EndSecond, intervals is null ? null : intervals.EndSecond,
        ];
        var timeline = TimelineSampler.Start(runs, samples, options.Timeline, [.. everySecond.OfType<Action<long>>()]);
        ScenarioStats[]? results = null;
        IReadOnlyList<string> notes = [];
        GeneratorSample sample;
        try
        {
            (results, notes) = engine is null
                ? (await Task.WhenAll(runs.Select(run => run.RunAsync())).ConfigureAwait(false), notes)
                : await DrivenLoad.RunAsync(engine, runs, control, options).ConfigureAwait(false);
        }
        finally
        {
            sample = await sampler.StopAsync().ConfigureAwait(false);
            await timeline.StopAsync().ConfigureAwait(false);
            live?.End(results);
        }

        results =
        [
            .. runs.Zip(
                results,
                (run, measured) => run.Complete(measured, samples, warmUps.GetValueOrDefault(run.Name))),
        ];

        var duration = Stopwatch.GetElapsedTime(start);
        intervals?.Complete(start + StopwatchTime.FromTimeSpan(duration));
        if (engine is null && options.WhenOver is { } whenOver)
        {
            await whenOver().ConfigureAwait(false);
        }

        // The completions of a batch arrive after the last request.
        consumer?.EndInterval(TimeSpan.FromSeconds(0.5));

        return new LoadResult
        {
            StartedUtc = startedUtc,
            Duration = duration,
            Scenarios = results,
            Health = GeneratorHealth.Judge(
                sample with { ConsumerShares = consumer?.Shares ?? [] }, results, options.HealthLimits),
            StopReason = control.StopReason,
            IsInterrupted = control.StopReason == Interrupted,
            Engine = engine?.Name ?? BuiltInEngine,
            Notes = [.. notes, .. samples.Notes()],
        };
    }

    /// <summary>
    /// Warms up all scenarios with a warm-up at the same time, sampled like the load so that stalls get a cause.
    /// </summary>
    private static async Task<IReadOnlyDictionary<string, ScenarioStats>> WarmUpAsync(
        IReadOnlyList<ScenarioProps> scenarios, LoadOptions options, RunControl control)
    {
        ScenarioRun[] runs =
        [
            .. scenarios.Where(scenario => scenario.WarmUpDuration is not null)
                .Select(scenario => new ScenarioRun(scenario, ScenarioOperation.WarmUp, options, control)),
        ];
        if (runs.Length == 0)
        {
            return new Dictionary<string, ScenarioStats>();
        }

        var samples = new LoadSamples(Stopwatch.GetTimestamp());
        var sampler =
            GeneratorSampler.Start(samples, options.ConsumerWork is { } work ? new ConsumerWatch(work) : null);
        var timeline = TimelineSampler.Start([], samples, options.Timeline);
        ScenarioStats[] results;
        try
        {
            results = await Task.WhenAll(runs.Select(run => run.RunAsync())).ConfigureAwait(false);
        }
        finally
        {
            await sampler.StopAsync().ConfigureAwait(false);
            await timeline.StopAsync().ConfigureAwait(false);
        }

        return runs.Zip(results).ToDictionary(
            warm => warm.First.Name, warm => warm.First.Complete(warm.Second, samples), StringComparer.Ordinal);
    }

    /// <summary>
    /// Cleans up every scenario whose init was called, whatever failed before; then throws all failures.
    /// </summary>
    private static async Task CleanAsync(List<ScenarioProps> prepared, Exception? failure)
    {
        List<Exception> failures = failure is null ? [] : [failure];
        foreach (var scenario in prepared)
        {
            try
            {
                await CallAsync(scenario, "WithClean", scenario.Clean, ScenarioOperation.Clean, CancellationToken.None)
                    .ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                failures.Add(exception);
            }
        }

        if (failures.Count > 1)
        {
            throw new AggregateException(failures);
        }

        if (failures.Count == 1)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(failures[0]);
        }
    }

    private static async Task CallAsync(
        ScenarioProps scenario, string what, Func<IScenarioInitContext, Task>? call, ScenarioOperation operation,
        CancellationToken cancellationToken)
    {
        try
        {
            await (call?.Invoke(
                new ScenarioInitContext(new ScenarioInfo(scenario.ScenarioName, 0, operation), cancellationToken))
                ?? Task.CompletedTask)
                .ConfigureAwait(false);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw new InvalidOperationException(
                $"Scenario '{scenario.ScenarioName}' failed in {what}: {exception.Message}", exception);
        }
    }
}

internal sealed record ScenarioInitContext(ScenarioInfo ScenarioInfo, CancellationToken ScenarioCancellationToken)
    : IScenarioInitContext;
