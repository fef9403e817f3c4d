namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Finds where a series has settled: the truncation point that makes the mean of the rest most certain. Source: K. P.
/// White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69 (1997); MSER-5 as in
/// White, Cobb and Spratt (WSC 2000).
/// </summary>
public static class Mser5
{
    /// <summary>Values that make a batch.</summary>
    public const int BatchSize = 5;

    /// <summary>
    /// Fewest values, 20 batches. With so many a series without any warm-up is taken for an unsettled one in 2 of 100
    /// cases (8 when neighbours are correlated by 0.9); with 4 batches it would be 42 (simulated; a test keeps the
    /// first figure).
    /// </summary>
    public const int MinimumValues = 20 * BatchSize;

    /// <param name="values">
    /// The series in order of time, at least <see cref="MinimumValues"/>; what does not fill a batch at the end is left
    /// out.
    /// </param>
    /// <exception cref="ArgumentException">There are too few values, or one is not finite.</exception>
    public static Mser5Cut Find(IReadOnlyList<double> values)
    {
        if (values.Count < MinimumValues || !values.All(double.IsFinite))
        {
            throw new ArgumentException(
                $"A cut needs at least {MinimumValues} finite values; there are "
                    + $"{values.Count(double.IsFinite)} of {values.Count}.",
                nameof(values));
        }

        double[] batches =
            [.. values.Take(values.Count / BatchSize * BatchSize).Chunk(BatchSize).Select(batch => batch.Average())];
        var border = batches.Length / 2;
        var (cut, least) = (0, double.PositiveInfinity);
        var (count, mean, squares) = (0, 0.0, 0.0);

        // Backwards, so that each batch is added once (Welford): squares is the sum of squared deviations of all
        // batches from d on.
        for (var d = batches.Length - 1; d >= 0; d--)
        {
            var off = batches[d] - mean;
            mean += off / ++count;
            squares += off * (batches[d] - mean);
            var uncertainty = squares / ((double)count * count);
            if (d <= border && uncertainty <= least)
            {
                (cut, least) = (d, uncertainty);
            }
        }

        return new Mser5Cut(cut * BatchSize, batches.Length, cut < border);
    }
}
