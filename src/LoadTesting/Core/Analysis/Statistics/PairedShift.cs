namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Where the differences of pairs lie: the Hodges–Lehmann estimate, which is the median of the Walsh averages (d_i +
/// d_j) / 2 with i ≤ j, and exact one-sided bounds by Tukey's inversion of the signed-rank test. No shape of
/// distribution is assumed but symmetry. Source: Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, sections
/// 3.2 and 3.3.
/// </summary>
internal sealed class PairedShift
{
    /// <summary>
    /// Sum of the normal quantiles for an error of 1 % one-sided (2.33) and a power of 80 % (0.84), rounded up for
    /// ranks.
    /// </summary>
    private const double ErrorAndPower = 3.3;

    private readonly double[] _walsh;

    /// <param name="differences">At least one and at most <see cref="SignedRank.MaxPairs"/>, all finite.</param>
    public PairedShift(IReadOnlyList<double> differences)
    {
        if (differences.Count == 0 || !differences.All(double.IsFinite))
        {
            throw new ArgumentException(
                $"{differences.Count} differences, [{string.Join(", ", differences)}]: at least one, and all finite.",
                nameof(differences));
        }

        Pairs = differences.Count;
        Deviation = Pairs > 1 ? differences.StandardDeviation() : null;
        _walsh = WalshAverages(differences);
    }

    public int Pairs { get; }

    /// <summary>Hodges–Lehmann estimate of the shift.</summary>
    public double Estimate => (_walsh[(_walsh.Length - 1) / 2] + _walsh[_walsh.Length / 2]) / 2;

    /// <summary>Sample standard deviation of the differences; null of a single one.</summary>
    public double? Deviation { get; }

    /// <summary>
    /// The shift is above this but for an error of <paramref name="level"/>; null when there are too few pairs for that
    /// level.
    /// </summary>
    public double? LowerBound(double level) => SignedRank.Critical(Pairs, level) is { } c ? _walsh[c] : null;

    /// <summary>
    /// The shift is below this but for an error of <paramref name="level"/>; null when there are too few pairs for that
    /// level.
    /// </summary>
    public double? UpperBound(double level) =>
        SignedRank.Critical(Pairs, level) is { } c ? _walsh[_walsh.Length - 1 - c] : null;

    /// <summary>
    /// The shift beyond a margin of zero that this many pairs of this noise show in four of five decisions at an error
    /// of 1 %: 3.3 s / √n. Null of a single pair.
    /// </summary>
    public double? Detectable => Deviation is { } s ? ErrorAndPower * s / Math.Sqrt(Pairs) : null;

    /// <summary>All (d_i + d_j) / 2 with i ≤ j, in ascending order: n (n + 1) / 2 of them.</summary>
    internal static double[] WalshAverages(IReadOnlyList<double> differences)
    {
        var averages = new double[differences.Count * (differences.Count + 1) / 2];
        var next = 0;
        for (var i = 0; i < differences.Count; i++)
        {
            for (var j = i; j < differences.Count; j++)
            {
                averages[next++] = (differences[i] + differences[j]) / 2;
            }
        }

        Array.Sort(averages);
        return averages;
    }
}
