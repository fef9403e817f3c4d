using System.Runtime;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>
/// One scenario on a system that has started: its load, its body and how its operations become a result. The pipeline makes an
/// <see cref="OperationBatch"/> for the warm-up and another for the load.
/// </summary>
public abstract class MeasuredScenario
{
    /// <summary>The full name, that of its result: <c>profile-scenario</c> with the suffixes of hosting and transport.</summary>
    public abstract string FullName { get; }

    /// <summary>The backend combination.</summary>
    public abstract string Profile { get; }

    /// <summary>Value of the trait <c>Category</c>.</summary>
    public abstract string Tier { get; }

    /// <summary>What carries the events where that is not the hosting's own way; else null.</summary>
    public virtual string? Transport => null;

    /// <summary>Operations that are asked for; 0 where a time ends the load.</summary>
    public abstract int Operations { get; }

    /// <summary>Operations at a time; null in an open model.</summary>
    public virtual int? Concurrency => null;

    /// <summary>Workers that the scenario asks for; null where it leaves that open.</summary>
    public virtual int? SignalWorkers => null;

    /// <summary>Iterations that an operation takes.</summary>
    public virtual int IterationsPerOperation => 1;

    /// <summary>How long the load rises before all of it is there; zero where it does not.</summary>
    public virtual TimeSpan RampUp => TimeSpan.Zero;

    /// <summary>
    /// What is done to the system on purpose in the middle of the load, in a few words: no steady part is then looked for, and whether it
    /// became slower is not asked. Account, thresholds and stalls are judged as ever. Null, the default: nothing is.
    /// </summary>
    public virtual string? PlannedChange => null;

    /// <summary>Whether a step is one request over the network, so that it is counted as one. Default: that is not known of any.</summary>
    public virtual bool IsRequest(string step) => false;

    /// <summary>The full name of the sum, where it runs beside others; null, the default: all of their names.</summary>
    public virtual string? GroupName => null;

    public abstract IReadOnlyList<LoadSimulation> Load { get; }

    /// <summary>Load that is not part of the result; none when empty.</summary>
    public abstract IReadOnlyList<LoadSimulation> WarmUp { get; }

    /// <summary>
    /// Brings <see cref="WarmUp"/> as often as it takes; once, where nothing else is said. Of scenarios that warm up together the first is
    /// asked.
    /// </summary>
    /// <param name="loadAsync">Brings it once, that of all of them.</param>
    public virtual Task WarmUpAsync(Func<Task> loadAsync)
    {
        ArgumentNullException.ThrowIfNull(loadAsync);
        return loadAsync();
    }

    /// <summary>When the generator counts as the limit, and how long iterations may take.</summary>
    public abstract LoadOptions Options { get; }

    /// <summary>Hash of what is run: results compare only when it is equal.</summary>
    public abstract string ContentHash { get; }

    /// <summary>Phases that must have <see cref="SamplesOf"/> samples each.</summary>
    public abstract IReadOnlyList<string> Phases { get; }

    /// <summary>Rules that the result is held to; none by default.</summary>
    public virtual IReadOnlyList<Threshold> Thresholds => [];

    /// <summary>
    /// How long events are listened for once the system is idle, at least: a duplicate comes after the event. Default: not longer than the
    /// account takes.
    /// </summary>
    public virtual TimeSpan ListensOnFor => TimeSpan.Zero;

    /// <summary>What a reader of the result should know.</summary>
    public abstract IReadOnlyList<string> Notes { get; }

    /// <summary>The batch of the load that runs now, or ran last; null before the measured load.</summary>
    public OperationBatch? Batch { get; internal set; }

    /// <summary>Settings of a batch of so many operations.</summary>
    /// <param name="operations">0 where a time ends it.</param>
    /// <param name="isWarmUp">Whether its operations are not part of the result.</param>
    public abstract BatchOptions BatchOf(int operations, bool isWarmUp);

    /// <summary>One iteration.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch);

    /// <summary>Samples that a phase must have, where so many operations were asked for.</summary>
    public virtual long SamplesOf(string phase, long operations) => operations;

    /// <summary>The histogram of a phase; that of the step of the same name unless overridden.</summary>
    public virtual LatencyHistogram HistogramOf(string phase, ScenarioStats measured, OperationTally tally)
    {
        ArgumentNullException.ThrowIfNull(measured);
        return measured.FindStep(phase)?.Ok.Service ?? new LatencyHistogram();
    }

    /// <summary>
    /// When a phase begins on average, milliseconds from the beginning of its operation; null where that is not known, as by default.
    /// </summary>
    public virtual double? PhaseStartMs(string phase, OperationTally tally) => null;

    /// <summary>
    /// The system's own mean response time, seconds: what findings divide among resources. In a batch an operation also waits for the
    /// others, and a delayed signal for its time; neither is a resource's doing. Default: the mean latency.
    /// </summary>
    public virtual double? ResponseSeconds(ScenarioResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return result.Latency.AverageMs / 1000;
    }
}

/// <summary>A system under test that has started, as a measurement sees it.</summary>
public interface IMeasuredSystem : IAsyncDisposable
{
    /// <summary>In process, or over HTTP.</summary>
    HostingKind Hosting { get; }

    /// <summary>The process that the service runs in; this one in process.</summary>
    int ProcessId { get; }

    /// <summary>Where its processes have a page <c>/metrics</c>; none by default.</summary>
    IReadOnlyList<Uri> Services => [];

    /// <summary>Where its events are awaited; a new one after <see cref="BeginMeasuring"/>.</summary>
    EventAwaiter Awaiter { get; }

    /// <summary>The service's own split of its time, by part, in order; empty where its clock is another.</summary>
    IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit { get; }

    /// <summary>Whether the transport promises that the events of a stream come in their order. Default: it does not.</summary>
    bool EventsAreOrdered => false;

    /// <summary>Forgets what the warm-up left, and measures from now on.</summary>
    void BeginMeasuring();

    /// <summary>
    /// Waits until the last event that the idle system has sent is here, where its transport says which that is. Default: it does not.
    /// </summary>
    /// <returns>Null, or which events have not come in time.</returns>
    Task<string?> WaitForEventsAsync(CancellationToken cancellationToken) => Task.FromResult<string?>(null);
}

/// <summary>What one measurement is made of; disposes its parts, the observers first and the database last.</summary>
/// <param name="System">The system under test, which has started.</param>
/// <param name="Scenarios">Loaded at the same time; at least one.</param>
/// <param name="Observers">Watch the load, in the order in which they start.</param>
/// <param name="Others">What else ends with the measurement, e.g. the database.</param>
public sealed record Arrangement(
    IMeasuredSystem System, IReadOnlyList<MeasuredScenario> Scenarios, IReadOnlyList<IRunObserver> Observers,
    params IReadOnlyList<IAsyncDisposable> Others)
    : IAsyncDisposable
{
    /// <summary>Publishes the measured load while it runs; null, the default: nobody does.</summary>
    public LoadMetrics? Metrics { get; init; }

    /// <summary>The part of the load that is driven, which is among the observers; null: all of it.</summary>
    public DrivenPart? Part => Observers.OfType<DrivenPart>().SingleOrDefault();

    /// <summary>Is notified of each stage; null, the default: nobody follows.</summary>
    public RunProgress? Progress { get; init; }

    public async ValueTask DisposeAsync()
    {
        foreach (var part in Observers.Reverse().Append<IAsyncDisposable>(System).Concat(Others))
        {
            await part.DisposeAsync();
        }
    }
}

/// <summary>
/// When a process is warm: once it spends hardly any of its processor time in the just-in-time compiler. At first that is half of it, and
/// on a busy machine it takes long to get through; a fixed number of seconds or operations would measure the compiler.
/// </summary>
public static class WarmUpRule
{
    private const double LargestShare = 0.05;

    /// <summary>Load between two looks.</summary>
    public static TimeSpan Slice { get; } = TimeSpan.FromSeconds(1);

    private static TimeSpan Longest { get; } = TimeSpan.FromSeconds(60);

    /// <summary>Brings a load again and again until this process is warm.</summary>
    /// <param name="loadAsync">Brings it once, however long that takes.</param>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 slices of load.</exception>
    public static Task RepeatAsync(Func<Task> loadAsync) => RepeatAsync(ReadOwnAsync, loadAsync);

    /// <summary>Brings a load again and again until a process is warm.</summary>
    /// <param name="readAsync">The processor time and the compilation time that the process has used since its start.</param>
    /// <param name="loadAsync">Brings it once, however long that takes.</param>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 slices of load.</exception>
    public static Task RepeatAsync(Func<Task<(TimeSpan Processor, TimeSpan Compilation)>> readAsync, Func<Task> loadAsync) =>
        RunAsync(readAsync, async () =>
        {
            var began = Stopwatch.GetTimestamp();
            do
            {
                await loadAsync();
            }
            while (Stopwatch.GetElapsedTime(began) < Slice);
        });

    /// <summary>Loads in slices until this process is warm.</summary>
    /// <param name="loadAsync">Loads for one slice.</param>
    /// <returns>How long it took.</returns>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 s of load.</exception>
    public static Task<TimeSpan> RunAsync(Func<Task> loadAsync) => RunAsync(ReadOwnAsync, loadAsync);

    /// <summary>Loads in slices until a process is warm.</summary>
    /// <param name="readAsync">The processor time and the compilation time that the process has used since its start.</param>
    /// <param name="loadAsync">Loads for one slice.</param>
    /// <returns>How long it took.</returns>
    /// <exception cref="InvalidOperationException">It does not get warm within 60 s of load.</exception>
    public static async Task<TimeSpan> RunAsync(Func<Task<(TimeSpan Processor, TimeSpan Compilation)>> readAsync, Func<Task> loadAsync)
    {
        ArgumentNullException.ThrowIfNull(readAsync);
        ArgumentNullException.ThrowIfNull(loadAsync);
        var (processor, compilation) = await readAsync();
        var share = 1.0;
        for (var took = Slice; took <= Longest; took += Slice)
        {
            await loadAsync();
            var (processorNow, compilationNow) = await readAsync();
            share = (compilationNow - compilation) / (processorNow - processor);
            if (share <= LargestShare)
            {
                return took;
            }

            (processor, compilation) = (processorNow, compilationNow);
        }

        throw new InvalidOperationException($"After {Longest.TotalSeconds} s of load {share:P0} of the processor time still goes to the "
            + "just-in-time compiler, so there is no rate. Repeat on a quieter machine.");
    }

    private static Task<(TimeSpan Processor, TimeSpan Compilation)> ReadOwnAsync() =>
        Task.FromResult((Environment.CpuUsage.TotalTime, JitInfo.GetCompilationTime()));
}
