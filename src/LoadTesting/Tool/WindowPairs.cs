using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>
/// Has pairs of windows recorded: the performance tests of the candidate start the services of both checkouts and load them by turns.
/// </summary>
internal sealed class WindowPairs(WindowRecording recording, PairDirectory directory, TimeSpan timeout, ToolConsole console)
{
    private const string Tests = "tests/PerformanceTests";
    private const string Built = Tests + "/bin/Debug/net10.0/";
    private const string Suite = Built + "PerformanceTests.dll";

    // So that a suite that does not know the variable runs no test.
    private static readonly string[] NoTest = ["-trait", "Category=None"];

    /// <summary>Whether somebody means checkouts and not commands.</summary>
    public static bool Means(string? reference, string? candidate) => Directory.Exists(reference) && Directory.Exists(candidate);

    /// <exception cref="FormatException">A checkout is not built, or nothing could be recorded; the message says why.</exception>
    public async Task<IReadOnlyList<RecordedPair>> RecordAsync(CancellationToken cancellationToken)
    {
        foreach (var checkout in new[] { recording.Base, recording.Candidate })
        {
            if (!File.Exists(Path.Combine(checkout, Suite)))
            {
                throw new FormatException($"{checkout}: is not built. dotnet build {Path.Combine(checkout, Tests)}");
            }

            if (Recordings.NewerThanBuild(checkout, Path.Combine(checkout, Built)) is { } newer)
            {
                throw new FormatException(
                    $"{checkout}: is built from older sources: {newer} has changed since. dotnet build {Path.Combine(checkout, Tests)}");
            }
        }

        await Recordings.BeginAsync(directory, recording.ToJson(), cancellationToken).ConfigureAwait(false);
        var failure = await RunAsync(cancellationToken).ConfigureAwait(false);
        var pairs = new List<RecordedPair>();
        foreach (var number in directory.Pairs())
        {
            pairs.Add(await directory.ReadAsync(number, cancellationToken).ConfigureAwait(false));
        }

        return failure is null && pairs.Count > 0
            ? pairs
            : throw new FormatException($"{directory.Location}: {pairs.Count} pairs were recorded: {failure ?? "the suite of the candidate "
                + "does not record windows; gate it by commands"}");
    }

    /// <returns>How it failed; null when it did not.</returns>
    private async Task<string?> RunAsync(CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo("dotnet", [Path.GetFullPath(Path.Combine(recording.Candidate, Suite)), .. NoTest]);
        start.Environment[WindowRecording.DirectoryVariable] = Path.GetFullPath(directory.Location);
        var ended = await BoundedProcess.RunAsync(start, timeout, TakeAsync, cancellationToken).ConfigureAwait(false);
        return ended is null ? null : $"it {ended}";

        Task TakeAsync(string line) =>
            line.StartsWith("Pair ", StringComparison.Ordinal) ? console.Out.WriteLineAsync(line) : Task.CompletedTask;
    }
}

/// <summary>Directories of pairs: each holds one recording, which goes on where it was interrupted.</summary>
internal static class Recordings
{
    private const string Decision = "gate.json";

    /// <summary>Begins a recording, or goes on with it.</summary>
    /// <param name="settings">How it is recorded: one goes on with the same settings only.</param>
    /// <exception cref="FormatException">The directory holds another recording, or one that is complete.</exception>
    public static async Task BeginAsync(PairDirectory directory, string settings, CancellationToken cancellationToken)
    {
        if (directory.Pairs().Count > 0)
        {
            var isSame = File.Exists(directory.RecordingPath)
                && await File.ReadAllTextAsync(directory.RecordingPath, cancellationToken).ConfigureAwait(false) == settings;
            if (!isSame || File.Exists(Path.Combine(directory.Location, Decision)))
            {
                throw new FormatException(
                    $"{directory.Location}: holds pairs already, and nothing is recorded over them. Name a fresh directory"
                    + (isSame ? "." : ", or the settings of recording.json to go on with it."));
            }

            directory.RemoveIncomplete();
        }

        await OutputFile.WriteAsync(directory.RecordingPath, settings, [], cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Whether two are one and the same run: it is no measurement of another build, nor another of the same.</summary>
    public static bool IsSameRun(ComparisonSource first, ComparisonSource other) =>
        (first.Run.RunId, first.Run.CreatedUtc) == (other.Run.RunId, other.Run.CreatedUtc);

    /// <summary>
    /// Refuses pairs in which one run stands twice, and those whose sides were not run in the order of their seed: the bounds rest on a
    /// coin for each pair. A single pair may seem to be, where the clock was set.
    /// </summary>
    /// <param name="seed">That of the order; null where it is not known.</param>
    /// <exception cref="FormatException">It is so; the message names the pairs.</exception>
    public static void RequireMeasured(PairDirectory directory, IReadOnlyList<RecordedPair> pairs, int? seed)
    {
        var sides = pairs.SelectMany(pair => new[] { (pair.Number, Run: pair.Base), (pair.Number, Run: pair.Candidate) })
            .Where(side => side.Run is not null).ToList();
        if (sides.GroupBy(side => (side.Run!.Run.RunId, side.Run.Run.CreatedUtc)).FirstOrDefault(run => run.Count() > 1) is { } copies)
        {
            throw new FormatException(
                $"{directory.Location}: run {copies.Key.RunId} stands in pairs {string.Join(" and ", copies.Select(side => side.Number))}. "
                + "A copy is no measurement; let each command measure into WORKFLOW_PERF_RESULTS.");
        }

        var order = seed is { } known && pairs.Count > 0
            ? PairOrder.CandidateFirst(known).Take(pairs.Max(pair => pair.Number)).ToList()
            : [];
        var others = pairs.Where(pair => order.Count > 0 && pair is { Base: { } reference, Candidate: { } candidate }
            && candidate.Run.CreatedUtc < reference.Run.CreatedUtc != order[pair.Number - 1]).Select(pair => pair.Number).ToList();
        if (others.Count > 1)
        {
            throw new FormatException(
                $"{directory.Location}: pairs {string.Join(", ", others)} were not run in the order that seed {seed} of recording.json "
                + "gives. Record them anew.");
        }
    }

    /// <summary>A source of the system that is newer than its assembly in a build; null where there is none.</summary>
    public static string? NewerThanBuild(string checkout, string build) =>
        Directory.EnumerateFiles(Path.Combine(checkout, "src"), "*.csproj", SearchOption.AllDirectories)
            .Select(project => Path.GetDirectoryName(project)!)
            .Select(folder => (Folder: folder, Assembly: Path.Combine(
                build, Path.GetRelativePath(Path.Combine(checkout, "src"), folder).Replace(Path.DirectorySeparatorChar, '.') + ".dll")))
            .Where(project => File.Exists(project.Assembly))
            .SelectMany(project => Sources(project.Folder).Where(source =>
                File.GetLastWriteTimeUtc(source) > File.GetLastWriteTimeUtc(project.Assembly)))
            .FirstOrDefault();

    private static IEnumerable<string> Sources(string folder) =>
    [
        .. Directory.EnumerateFiles(folder).Where(file => Path.GetExtension(file) is ".cs" or ".sql"),
        .. Directory.EnumerateDirectories(folder)
            .Where(below => Path.GetFileName(below) is not ("bin" or "obj") && !Directory.EnumerateFiles(below, "*.csproj").Any())
            .SelectMany(Sources),
    ];

    /// <summary>One line instead of a stack: how many pairs there are, and how to go on.</summary>
    public static string Interrupted(PairDirectory directory)
    {
        directory.RemoveIncomplete();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Interrupted; complete pairs: {directory.Pairs().Count}. The same command with --pairs {directory.Location} goes on.");
    }
}
