namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Recorded pairs: <c>pair-01/base</c> and <c>pair-01/candidate</c>, each the results directory of one run, and so on.
/// <c>failure.txt</c> in a side says how its command failed.
/// </summary>
public sealed class PairDirectory
{
    private const string Prefix = "pair-";

    /// <param name="path">Its path; it need not exist yet.</param>
    public PairDirectory(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        Location = path;
    }

    public string Location { get; }

    /// <summary>Where a side's results are.</summary>
    /// <param name="pair">From 1.</param>
    /// <param name="isCandidate">Which of the two.</param>
    public string SidePath(int pair, bool isCandidate) => Path.Combine(
        Location, Prefix + pair.ToString("00", CultureInfo.InvariantCulture), isCandidate ? "candidate" : "base");

    /// <summary>Where it is written how a side's command failed.</summary>
    public string FailurePath(int pair, bool isCandidate) => Path.Combine(SidePath(pair, isCandidate), "failure.txt");

    /// <summary>
    /// There while a pair is being recorded: until its commands have ended, what they have written may be a part of it.
    /// </summary>
    public string UnfinishedPath(int pair) =>
        Path.Combine(Path.GetDirectoryName(SidePath(pair, isCandidate: false))!, "unfinished");

    /// <summary>Where it is kept how the pairs were recorded.</summary>
    public string RecordingPath => Path.Combine(Location, "recording.json");

    /// <summary>Removes pairs without both sides, which an interrupted recording leaves.</summary>
    public void RemoveIncomplete()
    {
        foreach (var pair in Pairs().Where(pair =>
            File.Exists(UnfinishedPath(pair)) || !IsThere(pair, isCandidate: false)
                || !IsThere(pair, isCandidate: true)))
        {
            Directory.Delete(Path.GetDirectoryName(UnfinishedPath(pair))!, recursive: true);
        }

        bool IsThere(int pair, bool isCandidate) => File.Exists(FailurePath(pair, isCandidate))
            || File.Exists(Path.Combine(SidePath(pair, isCandidate), "latest", "run.json"));
    }

    /// <summary>Numbers of the pairs that are there, in order.</summary>
    public IReadOnlyList<int> Pairs() => !Directory.Exists(Location) ? [] :
    [
        .. Directory.EnumerateDirectories(Location, Prefix + "*").Select(Path.GetFileName)
            .Select(name =>
                int.TryParse(name![Prefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                    ? number : 0)
            .Where(number => number > 0).Order(),
    ];

    /// <summary>All pairs, in order.</summary>
    /// <inheritdoc cref="ReadAsync"/>
    public async Task<IReadOnlyList<RecordedPair>> ReadAllAsync(CancellationToken cancellationToken = default)
    {
        var pairs = new List<RecordedPair>();
        foreach (var number in Pairs())
        {
            pairs.Add(await ReadAsync(number, cancellationToken).ConfigureAwait(false));
        }

        return pairs;
    }

    /// <exception cref="FormatException">A side's result cannot be read; the message begins with its path.</exception>
    public async Task<RecordedPair> ReadAsync(int pair, CancellationToken cancellationToken = default)
    {
        var (reference, candidate) = (await SideAsync(isCandidate: false).ConfigureAwait(false),
            await SideAsync(isCandidate: true).ConfigureAwait(false));
        return new RecordedPair(pair, reference.Run, candidate.Run)
        {
            BaseFailure = reference.Failure, CandidateFailure = candidate.Failure,
        };

        async Task<(ComparisonSource? Run, string? Failure)> SideAsync(bool isCandidate)
        {
            var (path, file) = (SidePath(pair, isCandidate), FailurePath(pair, isCandidate));
            var failure = File.Exists(file)
                ? (await File.ReadAllTextAsync(file, cancellationToken).ConfigureAwait(false)).Trim()
                : null;
            try
            {
                return (await ComparisonSource.LoadAsync(path, cancellationToken).ConfigureAwait(false), failure);
            }
            catch (FileNotFoundException exception)
            {
                return (null, failure ?? exception.Message);
            }
        }
    }
}
