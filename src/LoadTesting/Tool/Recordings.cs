using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>Directories of pairs: each holds one recording, which continues where it was interrupted.</summary>
internal static class Recordings
{
    private const string Decision = "gate.json";

    /// <summary>Begins or continues a recording.</summary>
    /// <param name="settings">The settings: a recording continues only with the same settings.</param>
    /// <exception cref="FormatException">The directory holds another recording, or one that is complete.</exception>
    public static async Task BeginAsync(PairDirectory directory, string settings, CancellationToken cancellationToken)
    {
        if (directory.Pairs().Count > 0)
        {
            var isSame = File.Exists(directory.RecordingPath)
                && await File.ReadAllTextAsync(directory.RecordingPath, cancellationToken).ConfigureAwait(false)
                    == settings;
            if (!isSame || File.Exists(Path.Combine(directory.Location, Decision)))
            {
                throw new FormatException(
                    $"{directory.Location}: already holds pairs, and recordings are not overwritten. "
                        + "Name a fresh directory"
                    + (isSame ? "." : ", or the settings of recording.json to go on with it."));
            }

            directory.RemoveIncomplete();
        }

        await OutputFile.WriteAsync(directory.RecordingPath, settings, [], cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Whether two sources are the same run, which is not a second measurement.</summary>
    public static bool IsSameRun(ComparisonSource first, ComparisonSource other) =>
        (first.Run.RunId, first.Run.CreatedUtc) == (other.Run.RunId, other.Run.CreatedUtc);

    /// <summary>
    /// Refuses pairs that hold one run twice, and pairs whose sides were not run in the order of their seed: the bounds
    /// assume a random order. A single pair in the wrong order is accepted, because the clock may have been set.
    /// </summary>
    /// <param name="seed">The seed of the order; null if not known.</param>
    /// <exception cref="FormatException">The pairs are refused; the message names them.</exception>
    public static void RequireMeasured(PairDirectory directory, IReadOnlyList<RecordedPair> pairs, int? seed)
    {
        var sides =
            pairs.SelectMany(pair => new[] { (pair.Number, Run: pair.Base), (pair.Number, Run: pair.Candidate) })
            .Where(side => side.Run is not null).ToList();
        if (sides.GroupBy(side => (side.Run!.Run.RunId, side.Run.Run.CreatedUtc)).FirstOrDefault(run => run.Count() > 1)
            is { } copies)
        {
            throw new FormatException(
                $"{directory.Location}: run {copies.Key.RunId} stands in pairs "
                    + $"{string.Join(" and ", copies.Select(side => side.Number))}. A pair needs two measurements: let "
                    + "each command write into the directory that WORKFLOW_PERF_RESULTS names.");
        }

        var order = seed is { } known && pairs.Count > 0
            ? PairOrder.CandidateFirst(known).Take(pairs.Max(pair => pair.Number)).ToList()
            : [];
        var others = pairs.Where(pair => order.Count > 0 && pair is { Base: { } reference, Candidate: { } candidate }
            && candidate.Run.CreatedUtc < reference.Run.CreatedUtc != order[pair.Number - 1])
            .Select(pair => pair.Number)
            .ToList();
        if (others.Count > 1)
        {
            throw new FormatException(
                $"{directory.Location}: pairs {string.Join(", ", others)} were not run in the order that seed {seed} "
                    + "of recording.json gives. Record them again.");
        }
    }

    /// <summary>A source of the system that is newer than its assembly in a build; null where there is none.</summary>
    public static string? FindNewerSource(string checkout, string build) =>
        Directory.EnumerateFiles(Path.Combine(checkout, "src"), "*.csproj", SearchOption.AllDirectories)
            .Select(project => Path.GetDirectoryName(project)!)
            .Select(folder => (Folder: folder, Assembly: Path.Combine(
                build, Path.GetRelativePath(Path.Combine(checkout, "src"), folder)
                    .Replace(Path.DirectorySeparatorChar, '.') + ".dll")))
            .Where(project => File.Exists(project.Assembly))
            .SelectMany(project => Sources(project.Folder).Where(source =>
                File.GetLastWriteTimeUtc(source) > File.GetLastWriteTimeUtc(project.Assembly)))
            .FirstOrDefault();

    private static IEnumerable<string> Sources(string folder) =>
    [
        .. Directory.EnumerateFiles(folder).Where(file => Path.GetExtension(file) is ".cs" or ".sql"),
        .. Directory.EnumerateDirectories(folder)
            .Where(below =>
                Path.GetFileName(below) is not ("bin" or "obj") && !Directory.EnumerateFiles(below, "*.csproj").Any())
            .SelectMany(Sources),
    ];

    /// <summary>One line instead of a stack: how many pairs there are, and how to go on.</summary>
    public static string Interrupted(PairDirectory directory)
    {
        directory.RemoveIncomplete();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Interrupted. Complete pairs: {directory.Pairs().Count}. The same command with --pairs "
                + $"{directory.Location} continues.");
    }
}
