using System.Text.Encodings.Web;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>A result that was written, for the test that asked for it.</summary>
/// <param name="Summary">Verdict, key figures and the report's path, for the terminal.</param>
public sealed record RunReport(ScenarioResult Result, string Summary);

/// <summary>
/// The results of one process, which share a directory: it measures and writes what came of it, and whoever calls it judges. One
/// measurement at a time. A system is listened to after its verdict, until the next one has been set up.
/// </summary>
/// <param name="targets">Where figures are exported to while a load runs.</param>
/// <param name="outputs">Show what the run does. A file in the run's directory always does.</param>
public sealed class RunSession(MetricsTargets targets, IEnumerable<IProgressOutput> outputs) : IAsyncDisposable
{
    /// <summary>Environment variable that says where results go.</summary>
    public const string ResultsVariable = "WORKFLOW_PERF_RESULTS";

    private const int TopStatements = 20;

    /// <summary>How long the last system is listened to: nobody listens while a next scenario is set up.</summary>
    private static readonly TimeSpan ListensOnFor = TimeSpan.FromSeconds(1);

    private static readonly JsonSerializerOptions Readable = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // A file, not a page: SQL stays readable.
    };

    private readonly LiveRun _live = new(targets, outputs);
    private readonly List<string> _afterVerdict = [];
    private ResultWriter? _writer;
    private LateEvents? _late;
    private string? _reproduceLast;
    private Task _ending = Task.CompletedTask;

    /// <summary>What the run does at the moment.</summary>
    public RunProgress Progress => _live.Progress;

    /// <summary>The command that runs the next scenario again, for its result; null, the default: nobody says.</summary>
    public string? Reproduce { get; set; }

    /// <summary>The deliberate regression that is in force, for the results; null, the default: none.</summary>
    public string? Injected { get; init; }

    /// <summary>
    /// Whether the system before may still be ending while the next one warms up, as where they share neither queues nor data; it has ended
    /// before the load begins. Default: it has ended before the warm-up.
    /// </summary>
    public bool EndsBesideWarmUp { get; init; }

    /// <summary>Where results are written; null before the first call of <see cref="OpenAsync"/>.</summary>
    public ResultWriter? Writer => _writer;

    /// <summary>What will be measured on this system is shown and exported.</summary>
    public Arrangement Follow(Arrangement arranged) => _live.Follow(arranged);

    /// <summary>Makes the directory of the results.</summary>
    /// <param name="resultsDirectory">Holds the directories of runs; null: where <see cref="ResultsVariable"/> says.</param>
    /// <param name="repository">Root of the repository under test: relative paths begin there, and its commit names the run.</param>
    /// <param name="usualPlace">Where results go when nothing says, from the root of the repository.</param>
    public async Task<ResultWriter> OpenAsync(
        string? resultsDirectory, string repository, string usualPlace, CancellationToken cancellationToken)
    {
        if (_writer is not null)
        {
            throw new InvalidOperationException($"The results of this process are in {_writer.DirectoryPath} already.");
        }

        var chosen = resultsDirectory ?? Environment.GetEnvironmentVariable(ResultsVariable);
        var results = Path.GetFullPath(string.IsNullOrEmpty(chosen) ? usualPlace : chosen, repository);
        await UnfinishedRuns.FinishAsync(results, cancellationToken);
        _writer = await ResultWriter.CreateAsync(
            new()
            {
                ResultsDirectory = results,
                RepositoryDirectory = repository,
                BaselineDirectory = Environment.GetEnvironmentVariable(BaselineStore.Variable),
            },
            cancellationToken);
        _live.KeepIn(_writer);
        return _writer;
    }

    /// <summary>Measures and writes a result for each scenario, and their sum if there are several.</summary>
    /// <param name="arrange">Starts the system, with its scenarios and observers.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    /// <param name="abort">Ends everything at once, and what is measured is lost.</param>
    /// <param name="interruption">
    /// Ends the load before its time: the result so far is written as a partial one. Before the load there is no result.
    /// </param>
    /// <returns>The only result, or the sum.</returns>
    /// <exception cref="InvalidOperationException"><see cref="OpenAsync"/> was not called before.</exception>
    public async Task<RunReport> MeasureAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, ILoadEngine? engine, CancellationToken abort, CancellationToken interruption)
    {
        ArgumentNullException.ThrowIfNull(arrange);
        var writer = _writer
            ?? throw new InvalidOperationException($"There is no directory for results yet: call {nameof(OpenAsync)} first.");
        await EndedAsync(); // Where a measurement failed in its warm-up, nobody has waited for it.
        try
        {
            var (run, late) = await MeasurementPipeline.RunAndListenAsync(
                async token =>
                {
                    var arranged = _live.Follow(await arrange(token));
                    _live.Plan(arranged, engine, Reproduce, Injected);
                    _ending = EndListeningAsync(TimeSpan.Zero, token);
                    if (EndsBesideWarmUp)
                    {
                        return arranged with { Observers = [new SystemBefore(_ending), .. arranged.Observers] };
                    }

                    await _ending;
                    return arranged;
                },
                abort,
                engine,
                interruption);
            _late = late;
            return await WriteAsync(writer, run, abort);
        }
        finally
        {
            if (interruption.IsCancellationRequested)
            {
                await writer.SetPartialAsync("somebody interrupted the run, and what was to come was not measured", abort);
                _live.Progress.End(RunState.Interrupted);
            }
        }
    }

    /// <summary>
    /// What came to light of earlier runs after their verdicts, a sentence each, and each once: more events, with which their results have
    /// been written again, or a system that could not be ended.
    /// </summary>
    public IReadOnlyList<string> TakeAfterVerdict()
    {
        string[] taken = [.. _afterVerdict];
        _afterVerdict.Clear();
        return taken;
    }

    /// <summary>Ends the system that was measured last, after it has been listened to for so long since its verdict.</summary>
    public async Task EndListeningAsync(TimeSpan atLeast, CancellationToken cancellationToken)
    {
        if (_late is not { } late)
        {
            return;
        }

        _late = null;
        try
        {
            await using (late)
            {
                if (await late.EndAsync(atLeast, cancellationToken) is { } changed)
                {
                    var rewritten = changed with { Injected = Injected, Reproduce = _reproduceLast };
                    await _writer!.ReplaceScenarioAsync(rewritten, cancellationToken);
                    _afterVerdict.Add(TerminalSummary.Of(rewritten, _writer.ReportPath));
                }
            }
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The run that it belongs to is over, and the next one has nothing to do with it.
            _afterVerdict.Add($"{late.Scenario}: its system did not end as it should. {e.GetType().Name}: {e.Message}");
        }
    }

    /// <summary>Listens to the last system for a second, ends it, and writes the index of all kept runs.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await EndedAsync();
            await EndListeningAsync(ListensOnFor, CancellationToken.None);
            if (_writer is not null)
            {
                await RunIndex.WriteAsync(Path.GetDirectoryName(_writer.DirectoryPath)!, CancellationToken.None);
            }
        }
        finally
        {
            await _live.DisposeAsync();
            _writer?.Dispose();
        }
    }

    /// <summary>The system before has ended, or the measurement that was to wait for it was interrupted and has said so.</summary>
    private async Task EndedAsync() => await _ending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private async Task<RunReport> WriteAsync(ResultWriter writer, MeasuredRun run, CancellationToken cancellationToken)
    {
        _reproduceLast = Reproduce;
        await writer.AddScenariosAsync(
            [.. run.Results.Append(run.Total).Distinct().Select(each => each with { Injected = Injected, Reproduce = Reproduce })],
            cancellationToken);

        if (run.Evidence.Counters?.Statements is { } statements)
        {
            await writer.WriteSnapshotAsync(
                $"{run.Total.Name}-statements.json", JsonSerializer.Serialize(statements.Take(TopStatements), Readable) + "\n",
                cancellationToken);
        }

        _live.Progress.Add(run.Total.Verdict.Outcome);
        return new RunReport(run.Total with { Reproduce = Reproduce }, TerminalSummary.Of(run.Total, writer.ReportPath));
    }
}

/// <summary>What is seen of a run while it goes on: displays, the file in its directory, and what is exported.</summary>
public sealed class LiveRun : IAsyncDisposable
{
    private readonly LoadMetrics _metrics = new();
    private readonly ProgressDisplay _display;
    private readonly MetricsExport? _export;

    /// <param name="targets">Where figures are exported to.</param>
    /// <param name="outputs">Show what the run does.</param>
    public LiveRun(MetricsTargets targets, IEnumerable<IProgressOutput> outputs)
    {
        _export = MetricsExport.Start(targets, _metrics);
        Progress = new RunProgress(_metrics);
        _display = new ProgressDisplay(Progress, outputs);
    }

    public RunProgress Progress { get; }

    /// <summary>What will be measured on this system is shown and exported.</summary>
    public Arrangement Follow(Arrangement arranged)
    {
        ArgumentNullException.ThrowIfNull(arranged);
        _export?.Point(arranged.System.Services);
        return arranged with { Metrics = _metrics, Progress = Progress };
    }

    /// <summary>This will be measured; where the process is killed meanwhile, it is what the results begin with.</summary>
    /// <param name="arranged">What was set up.</param>
    /// <param name="engine">Starts its iterations; null for the built-in engine.</param>
    /// <param name="reproduce">The command that runs it again.</param>
    /// <param name="injected">A regression on purpose.</param>
    public void Plan(Arrangement arranged, ILoadEngine? engine, string? reproduce, string? injected)
    {
        ArgumentNullException.ThrowIfNull(arranged);
        Progress.Plan(
        [
            .. arranged.Scenarios.Select(scenario => ScenarioAccount.BeforeLoad(
                scenario, arranged.System.Hosting, engine?.Name ?? LoadRunner.BuiltInEngine,
                scenario.Load.Select(load => engine?.Describe(load) ?? $"{load}")) with { Reproduce = reproduce, Injected = injected }),
        ]);
    }

    /// <summary>The run has a directory, which keeps a file of its progress from now on.</summary>
    public void KeepIn(ResultWriter writer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        Progress.Name(writer.Run.RunId);
        _display.Add(new ProgressFile(writer.DirectoryPath));
    }

    /// <summary>The run is over; the file says so.</summary>
    public async ValueTask DisposeAsync()
    {
        Progress.End(RunState.Ended);
        _display.Dispose();
        await (_export?.DisposeAsync() ?? ValueTask.CompletedTask);
        _metrics.Dispose();
    }
}

/// <summary>The end of the system that was measured before: the first of the observers, so that nothing is watched earlier.</summary>
internal sealed class SystemBefore(Task end) : IRunObserver
{
    public Task StartAsync(CancellationToken cancellationToken) => end.WaitAsync(cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence) => result;

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
