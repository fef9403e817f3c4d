namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What a gate found out about one metric of one scenario.</summary>
public sealed record GateFinding
{
    /// <summary>
    /// <c>throughput</c>, <c>p50</c>, <c>capacity</c>, the name of a counter, or the ledger's name of a fault.
    /// </summary>
    public required string Metric { get; init; }

    public required GateMetricKind Kind { get; init; }
    public required GateVerdict Verdict { get; init; }

    /// <summary>Per second, milliseconds, or per operation.</summary>
    public required string Unit { get; init; }

    /// <summary>The baseline's value, of several the median; null when there is none.</summary>
    public double? Baseline { get; init; }

    /// <summary>The candidate's value, of several the median; null when there is none.</summary>
    public double? Measured { get; init; }

    /// <summary>Of a capacity the widest bracket of the baseline's searches; else null.</summary>
    public IntervalResult? BaselineBracket { get; init; }

    /// <summary>Of a capacity the widest bracket of the candidate's searches; else null.</summary>
    public IntervalResult? MeasuredBracket { get; init; }

    /// <summary>What the candidate may come to at most (throughput: at least); null where nothing limits it.</summary>
    public double? Limit { get; init; }

    /// <summary>
    /// How much worse the candidate is, as a share: 0.1 is 10 % slower or costlier, below 0 is better. By pairs the
    /// Hodges–Lehmann estimate.
    /// </summary>
    public double? Change { get; init; }

    /// <summary>
    /// Lower bound of <see cref="Change"/>, one-sided, as sure as a regression has to be: 99 %, and in much noise or
    /// before the last look of a sequential design more. Null without pairs or with too few.
    /// </summary>
    public double? Lower99 { get; init; }

    /// <summary>
    /// Upper bound of <see cref="Change"/> at 95 %, one-sided (sequential: 99 %); null without pairs or with too few.
    /// </summary>
    public double? Upper95 { get; init; }

    /// <summary>
    /// The smallest change that these pairs would have shown in four of five decisions, as a share; null without pairs.
    /// </summary>
    public double? DetectableChange { get; init; }

    /// <summary>Samples on the smaller side: operations of a run; in pairs, of the smallest run.</summary>
    public long N { get; init; }

    /// <summary>Pairs that counted; 0 beside a stored baseline.</summary>
    public int Pairs { get; init; }

    public required string Reason { get; init; }
}
