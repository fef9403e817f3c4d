namespace LoadTesting.Core.Results;

/// <summary>The Universal Scalability Law through the rungs of a closed ladder. Null members were not measured or may not be told; <see cref="Notes"/> says why.</summary>
public sealed record ScalabilityResult
{
    /// <summary>Throughput of one at a time, per second.</summary>
    public double? Lambda { get; init; }

    /// <summary>Contention, the serial share; 0 or more.</summary>
    public double? Sigma { get; init; }

    /// <summary>Coherency, the cost of every pair; 0 or more.</summary>
    public double? Kappa { get; init; }

    /// <summary>Relative standard deviation of the rungs about the curve, 0 to 1.</summary>
    public double? Noise { get; init; }

    /// <summary>The concurrency N* of greatest throughput; only where noise, ladder and interval allow to tell it.</summary>
    public double? PeakConcurrency { get; init; }

    /// <summary>2.5th and 97.5th percentile of <see cref="PeakConcurrency"/> over resampled ladders; null with it, and where a resampled ladder had no maximum.</summary>
    public IntervalResult? PeakConcurrencyInterval { get; init; }

    /// <summary>Throughput at N*, per second; null with it.</summary>
    public double? PeakPerSecond { get; init; }

    /// <summary>95 % interval of <see cref="PeakPerSecond"/>.</summary>
    public IntervalResult? PeakPerSecondInterval { get; init; }

    /// <summary>95 % interval of <see cref="Kappa"/>; one that holds 0 means that no fall of throughput was seen.</summary>
    public IntervalResult? KappaInterval { get; init; }

    /// <summary>What may not be told, and why; how the intervals came about.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
