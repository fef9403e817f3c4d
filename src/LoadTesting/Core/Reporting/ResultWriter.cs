using LoadTesting.Core.Reporting.Html;
using LoadTesting.Core.Reporting.Markdown;

namespace LoadTesting.Core.Reporting;

/// <summary>
/// Writes one run: <c>run.json</c>, a document for each scenario, <c>summary.md</c>, <c>report.html</c>, and
/// <c>latest</c> beside the run. Scenarios are added as they finish; after each the files are replaced whole, so that a
/// run that dies keeps what it had. Safe to call from several threads. One writer, one directory; no run is ever
/// overwritten.
/// </summary>
public sealed class ResultWriter : IDisposable
{
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly EnvironmentProbe? _probe;
    private readonly RunDirectory _directory;
    private readonly IReadOnlyList<RunResult> _baselines;
    private Dictionary<string, ScenarioDocument> _written = [];
    private RunResult _run;

    private ResultWriter(
        EnvironmentProbe? probe, RunDirectory directory, RunResult run, IReadOnlyList<RunResult> baselines)
    {
        _probe = probe;
        _directory = directory;
        _run = run;
        _baselines = baselines;
    }

    /// <summary>Full path of the run's directory.</summary>
    public string DirectoryPath => _directory.FullPath;

    /// <summary>Full path of the page to open.</summary>
    public string ReportPath => _directory.PathOf("report.html");

    /// <summary>The run as it was last written.</summary>
    public RunResult Run => Volatile.Read(ref _run);

    /// <summary>Determines commit and machine, claims a new directory and writes the first, empty documents.</summary>
    public static async Task<ResultWriter> CreateAsync(
        ResultWriterOptions options, CancellationToken cancellationToken = default)
    {
        // Each waits for a program to answer: at the same time.
        var finding = SourceRevision.FindAsync(options.RepositoryDirectory, cancellationToken);
        var probe = await EnvironmentProbe.StartAsync(options.RepositoryDirectory, cancellationToken)
            .ConfigureAwait(false);
        var revision = await finding.ConfigureAwait(false);
        var created = options.TimeProvider.GetUtcNow();
        var directory = RunDirectory.Claim(options.ResultsDirectory, created, revision.ShortName);
        var run = new RunResult
        {
            RunId = directory.Name,
            CreatedUtc = created,
            Commit = revision.Commit,
            Dirty = revision.Dirty,
            Environment = probe.Describe(),
            Notes = revision.Dirty is null && revision.Commit is not null
                ? ["dirty is null: 'git status' gave no answer."]
                : [],
        };
        var baselines = await BaselineStore.ReadAsync(
            options.BaselineDirectory, options.RepositoryDirectory, run.Environment.MachineClass, cancellationToken)
            .ConfigureAwait(false);
        var writer = new ResultWriter(probe, directory, run, baselines);
        await writer.ChangeAsync(unchanged => unchanged, cancellationToken).ConfigureAwait(false);
        return writer;
    }

    /// <summary>
    /// Marks a run as partial on behalf of its killed process, and adds what that process had measured. Machine,
    /// environment and <c>latest</c> stay unchanged.
    /// </summary>
    /// <param name="directory">The run's directory.</param>
    /// <param name="partial">When it ended, and why. A run that has such a mark stays as it is.</param>
    /// <param name="scenarios">The partial results at that time.</param>
    /// <returns>The run as it is kept.</returns>
    /// <exception cref="FormatException">The directory has no run that can be read.</exception>
    public static async Task<RunResult> FinishAsync(
        string directory, string partial, IReadOnlyList<ScenarioResult> scenarios,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        ArgumentException.ThrowIfNullOrEmpty(partial);
        var claimed = RunDirectory.Of(directory);
        var run = await ResultJson.ReadFileAsync(claimed.PathOf(RunDirectory.RunFile), cancellationToken)
            .ConfigureAwait(false);
        var baselines = await BaselineStore.ReadAsync(
            null, Environment.CurrentDirectory, run.Environment.MachineClass, cancellationToken).ConfigureAwait(false);
        using var writer = new ResultWriter(null, claimed, run, baselines);
        await writer.ChangeAsync(
            unfinished => unfinished.Partial is null
                ? unfinished with { Partial = partial, Scenarios = [.. unfinished.Scenarios, .. scenarios] }
                : unfinished,
            cancellationToken).ConfigureAwait(false);
        return writer.Run;
    }

    /// <summary>
    /// Adds a finished scenario, or scenarios that ran at the same time, and writes once. A name that was there before
    /// is a repetition: both are kept.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// A scenario holds a number that is not finite. The run is left as it was.
    /// </exception>
    public Task AddScenariosAsync(
        IReadOnlyList<ScenarioResult> scenarios, CancellationToken cancellationToken = default) =>
        ChangeAsync(run => run with { Scenarios = [.. run.Scenarios, .. scenarios] }, cancellationToken);

    /// <summary>
    /// Replaces an added scenario: the last one with the same name and start time.
    /// </summary>
    /// <exception cref="ArgumentException">There is none. The run is left as it was.</exception>
    public Task ReplaceScenarioAsync(ScenarioResult scenario, CancellationToken cancellationToken = default)
    {
        return ChangeAsync(Replaced, cancellationToken);

        RunResult Replaced(RunResult run)
        {
            var scenarios = run.Scenarios.ToList();
            var place = scenarios.FindLastIndex(
                added => added.Name == scenario.Name && added.StartedUtc == scenario.StartedUtc);
            if (place < 0)
            {
                throw new ArgumentException(
                    $"The run has no '{scenario.Name}' that began at {scenario.StartedUtc:O}; add it first.",
                    nameof(scenario));
            }

            scenarios[place] = scenario;
            return run with { Scenarios = scenarios };
        }
    }

    /// <summary>
    /// Adds the result of a search for the capacity. Ladders among the scenarios are recorded automatically.
    /// </summary>
    /// <exception cref="ArgumentException">It holds a number that is not finite. The run is left as it was.</exception>
    public Task AddCapacityAsync(CapacityResult capacity, CancellationToken cancellationToken = default) =>
        ChangeAsync(run => run with { Capacity = [.. run.Capacity, capacity] }, cancellationToken);

    /// <summary>Records the backend of a profile, replacing an earlier record.</summary>
    public Task SetBackendAsync(string profile, BackendInfo backend, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(profile);
        return ChangeAsync(
            run => run with
            {
                Environment = run.Environment with { Backends = With(run.Environment.Backends, profile, backend) },
            },
            cancellationToken);
    }

    /// <summary>Records the ceilings measured for a profile, in place of earlier ones.</summary>
    public Task SetCeilingsAsync(string profile, CeilingsResult ceilings, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(profile);
        return ChangeAsync(
            run => run with { CeilingsByProfile = With(run.CeilingsByProfile, profile, ceilings) }, cancellationToken);
    }

    /// <summary>Marks the run as interrupted. The first mark stays.</summary>
    /// <param name="what">When the run was interrupted, and what was not measured.</param>
    public Task SetPartialAsync(string what, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(what);
        return ChangeAsync(run => run with { Partial = run.Partial ?? what }, cancellationToken);
    }

    /// <summary>Records profiles that could not be run; the same entry is recorded once.</summary>
    public Task AddNotExercisedAsync(
        IReadOnlyList<NotExercised> entries, CancellationToken cancellationToken = default) =>
        ChangeAsync(run => run with { NotExercised = [.. run.NotExercised.Union(entries)] }, cancellationToken);

    /// <summary>Stores a raw response of a server under <c>snapshots/</c>.</summary>
    /// <param name="name">File name with its ending; letters, digits, dot, dash and underscore.</param>
    /// <param name="content">The text; it must hold no secret.</param>
    public async Task WriteSnapshotAsync(string name, string content, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name.StartsWith('.') || name.Any(c => !(char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_')))
        {
            throw new ArgumentException(
                $"'{name}' is not a snapshot name; use letters, digits, dot, dash and underscore.", nameof(name));
        }

        var folder = Directory.CreateDirectory(_directory.PathOf("snapshots"));
        await AtomicFile.WriteAsync(Path.Combine(folder.FullName, name), content, cancellationToken)
            .ConfigureAwait(false);
    }

    public void Dispose() => _turn.Dispose();

    private static Dictionary<string, T> With<T>(IReadOnlyDictionary<string, T> map, string key, T value) =>
        new(map) { [key] = value };

    private async Task ChangeAsync(Func<RunResult, RunResult> change, CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            var run = change(_run);
            var environment = _probe?.Describe() ?? RunComposition.WithoutSeveralBackends(run.Environment);
            run = RunComposition.Complete(run, environment);
            // Rendered before anything is written: a document that cannot be rendered changes nothing on disk.
            var (documents, written) = Render(run);
            foreach (var (file, text) in documents)
            {
                await AtomicFile.WriteAsync(_directory.PathOf(file), text, cancellationToken).ConfigureAwait(false);
            }

            if (_probe is not null)
            {
                LatestRun.PointTo(_directory);
            }

            _written = written;
            Volatile.Write(ref _run, run);
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Renders the documents that have changed since they were written.</summary>
    private (List<(string File, string Text)> Documents, Dictionary<string, ScenarioDocument> Written) Render(
        RunResult run)
    {
        var files = RunDirectory.FileNames(run.Scenarios.Select(scenario => scenario.Name));
        var (documents, written) = (new List<(string, string)>(), new Dictionary<string, ScenarioDocument>());
        foreach (var (scenario, file) in run.Scenarios.Zip(files))
        {
            written[file] = ScenarioDocument.Of(run, scenario);
            if (!written[file].IsThatOf(_written.GetValueOrDefault(file)))
            {
                documents.Add((file, WriteFinite(RunComposition.Only(run, scenario), scenario.Name)));
            }
        }

        documents.Add((RunDirectory.RunFile, WriteFinite(run, run.RunId)));
        documents.Add(("summary.md", SummaryMarkdown.Render(run)));
        documents.Add(("report.html", HtmlReport.Render(run, _baselines)));
        return (documents, written);
    }

    private static string WriteFinite(RunResult run, string name)
    {
        try
        {
            return ResultJson.Write(run);
        }
        catch (ArgumentException exception)
        {
            throw new ArgumentException(
                $"The result of '{name}' holds a number that is not finite (NaN or infinity), which JSON has no word "
                    + "for. Leave what was not measured null, with a note.",
                exception);
        }
    }
}

/// <summary>The inputs of the document of one scenario, to recognise an unchanged document.</summary>
internal sealed record ScenarioDocument(
    ScenarioResult Scenario, BackendInfo? Backend, CeilingsResult? Ceilings, string? Partial)
{
    public static ScenarioDocument Of(RunResult run, ScenarioResult scenario) => new(
        scenario, run.Environment.Backends.GetValueOrDefault(scenario.Profile),
        run.CeilingsByProfile.GetValueOrDefault(scenario.Profile), run.Partial);

    public bool IsThatOf(ScenarioDocument? other) =>
        ReferenceEquals(Scenario, other?.Scenario)
        && ReferenceEquals(Backend, other?.Backend)
        && ReferenceEquals(Ceilings, other?.Ceilings)
        && Partial == other?.Partial;
}
