namespace LoadTesting.Core.Load.Histograms;

/// <summary>
/// Sizes of responses in bytes, without sizes of 0. Minimum, maximum and mean are exact, percentiles are within 1 %,
/// like those of a <see cref="LatencyHistogram"/>. Everything is 0 if no response reported a size.
/// </summary>
public sealed class SizeDistribution
{
    private readonly LatencyHistogram _bytes;

    /// <param name="bytes">A byte is kept as a nanosecond.</param>
    internal SizeDistribution(LatencyHistogram bytes) => _bytes = bytes;

    public static SizeDistribution Empty { get; } = new(new LatencyHistogram());

    /// <summary>Number of responses that reported a size.</summary>
    public long Count => _bytes.Count;

    public long MinBytes => _bytes.PercentileNanoseconds(0);
    public long MaxBytes => _bytes.PercentileNanoseconds(100);
    public double MeanBytes => Count == 0 ? 0 : _bytes.AverageMs * BytesPerUnit;

    /// <summary>Standard deviation, within 2 %.</summary>
    public double StandardDeviationBytes => Count == 0 ? 0 : _bytes.StandardDeviationMs * BytesPerUnit;

    private const double BytesPerUnit = 1_000_000;

    /// <param name="percentile">0 to 100.</param>
    public long PercentileBytes(double percentile)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(percentile);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percentile, 100);
        return _bytes.PercentileNanoseconds(percentile);
    }
}
