namespace LoadTesting.Core.Results;

/// <summary>A resource that takes a considerable share of the response time, with what to do about it.</summary>
public sealed record FindingResult
{
    /// <summary>1 is the greatest impact.</summary>
    public required int Rank { get; init; }

    /// <summary>The resource, in the words of <see cref="ResourceResult.Resource"/>.</summary>
    public required string Resource { get; init; }

    /// <summary>What an operation loses to it on average, seconds; 0 or more.</summary>
    public required double ImpactSecondsPerOperation { get; init; }

    /// <summary><see cref="ImpactSecondsPerOperation"/> over the mean response time, 0 to 1.</summary>
    public required double ShareOfResponseTime { get; init; }

    /// <summary>What was measured, a sentence each.</summary>
    public required IReadOnlyList<string> Evidence { get; init; }

    /// <summary>What to change first.</summary>
    public required string Suggestion { get; init; }

    /// <summary>How far it can be trusted.</summary>
    public required FindingConfidence Confidence { get; init; }
}
