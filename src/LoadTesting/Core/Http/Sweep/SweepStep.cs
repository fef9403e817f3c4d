namespace LoadTesting.Core.Http.Sweep;

/// <summary>The samples of one client at one number of workers.</summary>
public sealed record SweepStep(int Workers, string Client, IReadOnlyList<SweepSample> Samples)
{
    public double RequestsPerSecond => Median(sample => sample.RequestsPerSecond)!.Value;

    public long Errors => Samples.Sum(sample => sample.Errors);

    /// <summary>Median of a figure over the rounds that have it; null if none has.</summary>
    public double? Median(Func<SweepSample, double?> figure) => MedianOf(Samples.Select(figure).OfType<double>());

    /// <summary>
    /// Median over the rounds of the ratio to another client's rate in the same round; null without rates.
    /// </summary>
    public double? Over(SweepStep other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return MedianOf(Samples.Zip(
            other.Samples, (own, its) => its.RequestsPerSecond > 0 ? own.RequestsPerSecond / its.RequestsPerSecond : 0)
            .Where(ratio => ratio > 0));
    }

    private static double? MedianOf(IEnumerable<double> values) =>
        values.ToArray() is { Length: > 0 } known ? known.Median() : null;
}
