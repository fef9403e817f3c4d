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

    /// <summary>There while a pair is being recorded: until its commands have ended, what they have written may be a part of it.</summary>
    public string UnfinishedPath(int pair) => Path.Combine(Path.GetDirectoryName(SidePath(pair, isCandidate: false))!, "unfinished");

    /// <summary>Where it is kept how the pairs were recorded.</summary>
    public string RecordingPath => Path.Combine(Location, "recording.json");

    /// <summary>Removes a pair of which not both sides were recorded: the recording was interrupted there.</summary>
    public void RemoveIncomplete()
    {
        foreach (var pair in Pairs().Where(pair =>
            File.Exists(UnfinishedPath(pair)) || !IsThere(pair, isCandidate: false) || !IsThere(pair, isCandidate: true)))
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
                int.TryParse(name![Prefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0)
            .Where(number => number > 0).Order(),
    ];

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

/// <summary>A pair as it was recorded, with all scenarios of its two runs.</summary>
/// <param name="Number">From 1.</param>
/// <param name="Base">Run of the base; null when it left no result.</param>
/// <param name="Candidate">Run of the candidate; null when it left no result.</param>
public sealed record RecordedPair(int Number, ComparisonSource? Base, ComparisonSource? Candidate)
{
    /// <summary>How the command of the base failed; null when it did not.</summary>
    public string? BaseFailure { get; init; }

    /// <summary>How the command of the candidate failed; null when it did not.</summary>
    public string? CandidateFailure { get; init; }

    /// <summary>Which sides failed, and how.</summary>
    public IEnumerable<string> Failures()
    {
        if (BaseFailure is not null)
        {
            yield return $"base: {BaseFailure}";
        }

        if (CandidateFailure is not null)
        {
            yield return $"candidate: {CandidateFailure}";
        }
    }
}

/// <summary>
/// The order of the sides: a coin for each pair, so that whatever the machine does, and however alike neighbouring runs are, the sign of a
/// difference without a cause is a coin's. That is all that the signed-rank test assumes; of ABBA and BAAB in blocks of two pairs, whose
/// differences are correlated, it would assume more than is so.
/// </summary>
public static class PairOrder
{
    /// <summary>For each pair, whether its first side is the candidate.</summary>
    /// <param name="seed">Stored with the pairs; the same seed gives the same order, and a longer one begins with it.</param>
    public static IEnumerable<bool> CandidateFirst(int seed)
    {
        var random = new Random(seed);
        while (true)
        {
            yield return random.Next(2) == 1;
        }
    }
}
