namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// The place where a series splits best by energy distance, which sees any change of distribution and not only of the
/// mean (Matteson and James, "A nonparametric approach for multiple change point analysis of multivariate data", 2014).
/// </summary>
internal sealed class EnergyDistance
{
    /// <summary>Values that a level has at least: one may be an outlier.</summary>
    public const int ShortestLevel = 2;

    private readonly int _offset;

    // _sums[i, j] = sum of the distances between the values before i and those before j: a rectangle is four look-ups.
    private readonly double[,] _sums;

    /// <param name="values">The whole series.</param>
    /// <param name="start">First value looked at.</param>
    /// <param name="end">The one after the last.</param>
    public EnergyDistance(ReadOnlySpan<double> values, int start, int end)
    {
        _offset = start;
        var count = end - start;
        _sums = new double[count + 1, count + 1];
        for (var row = 0; row < count; row++)
        {
            for (var column = 0; column < count; column++)
            {
                _sums[row + 1, column + 1] = Math.Abs(values[start + row] - values[start + column])
                    + _sums[row, column + 1] + _sums[row + 1, column] - _sums[row, column];
            }
        }
    }

    /// <summary>
    /// The split of [start, end) with the greatest statistic, also against a part of what follows:
    /// Q = mn/(m+n) (2/(mn) sum|x-y| - 2/(m(m-1)) sum|x-x'| - 2/(n(n-1)) sum|y-y'|). Null when the part is too short.
    /// </summary>
    public (int Index, double Statistic)? BestSplit(int start, int end)
    {
        (int Index, double Statistic)? best = null;
        for (var split = start + ShortestLevel; split <= end - ShortestLevel; split++)
        {
            for (var stop = split + ShortestLevel; stop <= end; stop++)
            {
                var statistic = Statistic(start - _offset, split - _offset, stop - _offset);
                if (best is null || statistic > best.Value.Statistic)
                {
                    best = (split, statistic);
                }
            }
        }

        return best;
    }

    private double Statistic(int start, int split, int stop)
    {
        double m = split - start;
        double n = stop - split;
        // Sums over a square count each pair twice, as the factors of the two inner terms do.
        return m * n / (m + n) * (
            (2 / (m * n) * Sum(start, split, split, stop))
            - (Sum(start, split, start, split) / (m * (m - 1)))
            - (Sum(split, stop, split, stop) / (n * (n - 1))));
    }

    private double Sum(int top, int bottom, int left, int right) =>
        _sums[bottom, right] - _sums[top, right] - _sums[bottom, left] + _sums[top, left];
}
