namespace LoadTesting.Core.Results;

/// <summary>Where the measured part had settled. Reported only: every percentile counts every operation.</summary>
public sealed record WarmUpResult
{
    /// <summary>How it was found, e.g. <c>MSER-5</c>.</summary>
    public required string Method { get; init; }

    /// <summary>What was looked at: latency or the interval between completions.</summary>
    public required string Series { get; init; }

    /// <summary>Completions that were looked at.</summary>
    public required long Completions { get; init; }

    /// <summary>The first so many of them belong to the warm-up.</summary>
    public required long CutCompletions { get; init; }

    /// <summary>False where half of the series is not enough: it never settled.</summary>
    public required bool Steady { get; init; }

    /// <summary>Mean of the series without the cut, milliseconds.</summary>
    public required double SettledMeanMs { get; init; }

    /// <summary>Mean of all of the series, milliseconds.</summary>
    public required double MeanMs { get; init; }
}
