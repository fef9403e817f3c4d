namespace LoadTesting.Core.Analysis.Gating;

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
