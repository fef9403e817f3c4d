using System.Text.Encodings.Web;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>
/// The run of one process. Measures one scenario or group at a time, shows it while it runs, and writes the results to
/// one directory. The caller decides whether they pass. After its verdict a system is listened to until the next one is
/// set up.
/// </summary>
public class RunSession : IAsyncDisposable
{
    /// <summary>Environment variable that says where results go.</summary>
    public const string ResultsVariable = "WORKFLOW_PERF_RESULTS";

    private const int TopStatements = 20;

    /// <summary>How long the last system is listened to, since no other system is set up meanwhile.</summary>
    private static readonly TimeSpan ListeningTime = TimeSpan.FromSeconds(1);

    private static readonly JsonSerializerOptions Readable = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // A file, not a page: SQL stays readable.
    };

    private readonly LoadMetrics _metrics = new();
    private readonly ProgressDisplay _display;
    private readonly MetricsExport? _export;
    private readonly List<string> _lateFailures = [];
    private ResultWriter? _writer;
    private (Arrangement Arranged, LateEvents Events, long Since)? _late;
    private string? _reproduceLast;
    private Task _ending = Task.CompletedTask;

    /// <param name="targets">Where figures are exported to while a load runs.</param>
    /// <param name="outputs">Show what the run does, in addition to a file in the directory of the results.</param>
    public RunSession(MetricsTargets targets, IEnumerable<IProgressOutput> outputs)
    {
        _export = MetricsExport.Start(targets, _metrics);
        Progress = new RunProgress(_metrics);
        _display = new ProgressDisplay(Progress, outputs);
    }

    /// <summary>The current stage of the run.</summary>
    public RunProgress Progress { get; }

    /// <summary>
    /// The command that repeats the next scenario. Null (the default) if the caller does not supply one.
    /// </summary>
    public string? Reproduce { get; set; }

    /// <summary>The deliberate regression that is in force. Null (the default) if there is none.</summary>
    public string? Injected { get; init; }

    /// <summary>
    /// Ends everything at once, and the measurement in progress is lost. The tokens of the methods end a load and keep
    /// its result as a partial one. Default: never.
    /// </summary>
    public CancellationToken Abort { get; init; }

    /// <summary>
    /// Whether the system before may still be ending while the next one warms up, if they share neither queues nor
    /// data. It ends before the load in any case. Default: false.
    /// </summary>
    public bool EndsBesideWarmUp { get; init; }

    /// <summary>Where results are written; null before the first call of <see cref="OpenAsync"/>.</summary>
    public ResultWriter? Writer => _writer;

    /// <summary>Shows and exports the measurements on this system.</summary>
    public Arrangement Follow(Arrangement arranged)
    {
        _export?.Point(arranged.System.Services);
        return arranged with { Progress = Progress };
    }

    /// <summary>Creates the directory of the results.</summary>
    /// <param name="resultsDirectory">
    /// Holds the directories of runs; null for that of <see cref="ResultsVariable"/>.
    /// </param>
    /// <param name="repository">
    /// Root of the repository under test: relative paths begin there, and its commit names the run.
    /// </param>
    /// <param name="usualPlace">The directory if neither is set, from the root of the repository.</param>
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
        Progress.Name(_writer.Run.RunId);
        _display.Add(new ProgressFile(_writer.DirectoryPath));
        return _writer;
    }

    /// <summary>Measures and writes a result for each scenario, and their sum if there are several.</summary>
    /// <param name="arrange">Starts the system, with its scenarios and observers.</param>
    /// <param name="engine">Starts the measured iterations; null for the built-in engine.</param>
    /// <param name="interruption">
    /// Ends the load before its time: the result so far is written as a partial one. Before the load there is no
    /// result.
    /// </param>
    /// <returns>The only result, or the sum.</returns>
    /// <exception cref="InvalidOperationException"><see cref="OpenAsync"/> was not called before.</exception>
    public async Task<RunReport> MeasureAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, ILoadEngine? engine, CancellationToken interruption)
    {
        var writer = _writer
            ?? throw new InvalidOperationException(
                $"There is no directory for results yet: call {nameof(OpenAsync)} first.");
        await EndedAsync(); // A measurement that failed in its warm-up has not waited for it.
        try
        {
            var run = await RunAsync(arrange, engine, interruption);
            return await WriteAsync(writer, run, Abort);
        }
        finally
        {
            if (interruption.IsCancellationRequested)
            {
                await writer.SetPartialAsync(
                    "the run was interrupted, and the remaining scenarios were not measured", Abort);
                Progress.End(RunState.Interrupted);
            }
        }
    }

    /// <summary>
    /// Takes the failures that were found after the verdicts of earlier measurements, a sentence each: events that came
    /// late, with which the results have been written again, or a system that could not be ended.
    /// </summary>
    public IReadOnlyList<string> TakeLateFailures()
    {
        string[] taken = [.. _lateFailures];
        _lateFailures.Clear();
        return taken;
    }

    /// <summary>Ends the system that was measured last, at least this long after its verdict.</summary>
    public async Task EndListeningAsync(TimeSpan atLeast, CancellationToken cancellationToken)
    {
        if (_late is not { } late)
        {
            return;
        }

        _late = null;
        try
        {
            await using (late.Arranged)
            {
                await MeasurementPipeline.ListenUntilAsync(late.Since, atLeast, cancellationToken);
                if (late.Events.ResultNow() is { } changed)
                {
                    var rewritten = changed with { Injected = Injected, Reproduce = _reproduceLast };
                    await _writer!.ReplaceScenarioAsync(rewritten, cancellationToken);
                    Progress.Replace(_writer.Run);
                    _lateFailures.Add(TerminalSummary.Of(rewritten, _writer.ReportPath));
                }
            }
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The failure belongs to the run that is over, not to the next one.
            _lateFailures.Add(
                $"{late.Events.Run.Total.Name}: its system did not end as it should. {e.GetType().Name}: {e.Message}");
        }
    }

    /// <summary>Listens to the last system for a second, ends it, and writes the index of all kept runs.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        try
        {
            await EndedAsync();
            await EndListeningAsync(ListeningTime, CancellationToken.None);
            if (_writer is not null)
            {
                await RunIndex.WriteAsync(Path.GetDirectoryName(_writer.DirectoryPath)!, CancellationToken.None);
            }
        }
        finally
        {
            Progress.End(RunState.Ended);
            _display.Dispose();
            await (_export?.DisposeAsync() ?? ValueTask.CompletedTask);
            _metrics.Dispose();
            _writer?.Dispose();
            GC.SuppressFinalize(this);
        }
    }

    /// <summary>
    /// Waits for the end of the system before. A failure was reported by the measurement that waited for it.
    /// </summary>
    private async Task EndedAsync() => await _ending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Arranges and measures, and goes on listening to the system.</summary>
    private async Task<MeasuredRun> RunAsync(
        Func<CancellationToken, Task<Arrangement>> arrange, ILoadEngine? engine, CancellationToken interruption)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(Abort, interruption);
        var arranged = Follow(await arrange(either.Token));
        try
        {
            Plan(arranged, engine);
            _ending = EndListeningAsync(TimeSpan.Zero, either.Token);
            if (!EndsBesideWarmUp)
            {
                await _ending;
            }

            var run = await MeasurementPipeline.MeasureAsync(
                arranged with { BeforeLoad = _ending }, engine, Abort, interruption);
            _late = (arranged, new LateEvents(run, arranged.System.Awaiter), Stopwatch.GetTimestamp());
            return run;
        }
        catch
        {
            await arranged.DisposeAsync();
            throw;
        }
    }

    /// <summary>Shows what will be measured. If the process is killed meanwhile, the results begin with it.</summary>
    private void Plan(Arrangement arranged, ILoadEngine? engine) => Progress.Plan(
    [
        .. arranged.Scenarios.Select(scenario => ScenarioAccount.BeforeLoad(
            scenario, arranged.System.Hosting, engine?.Name ?? LoadRunner.BuiltInEngine,
            scenario.Load.Select(load => engine?.Describe(load) ?? $"{load}")) with
        {
            Reproduce = Reproduce, Injected = Injected,
        }),
    ]);

    private async Task<RunReport> WriteAsync(ResultWriter writer, MeasuredRun run, CancellationToken cancellationToken)
    {
        _reproduceLast = Reproduce;
        var results = run.Results.Append(run.Total).Distinct()
            .Select(each => each with { Injected = Injected, Reproduce = Reproduce });
        await writer.AddScenariosAsync([.. results], cancellationToken);

        if (run.Evidence.Counters?.Statements is { } statements)
        {
            var json = JsonSerializer.Serialize(statements.Take(TopStatements), Readable) + "\n";
            await writer.WriteSnapshotAsync($"{run.Total.Name}-statements.json", json, cancellationToken);
        }

        Progress.Add(writer.Run);
        return new RunReport(
            run.Total with { Reproduce = Reproduce }, TerminalSummary.Of(run.Total, writer.ReportPath));
    }
}
