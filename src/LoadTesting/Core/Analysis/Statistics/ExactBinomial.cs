using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Exact statements about a probability, from the number of successful trials. Sources: Clopper and Pearson, Biometrika
/// 26 (1934), in its form by quantiles of the beta distribution; Przyborowski and Wilenski, Biometrika 31 (1940), for
/// two counts.
/// </summary>
internal static class ExactBinomial
{
    /// <summary>One-sided upper Clopper–Pearson bound.</summary>
    /// <param name="hits">0 to <paramref name="trials"/>.</param>
    /// <param name="trials">At least 1.</param>
    /// <param name="confidence">Above 0 and below 1, e.g. 0.95.</param>
    public static double UpperBound(long hits, long trials, double confidence)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(trials);
        ArgumentOutOfRangeException.ThrowIfNegative(hits);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(hits, trials);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(confidence);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(confidence, 1);
        return hits == trials ? 1 : Beta.InvCDF(hits + 1, trials - hits, confidence);
    }

    /// <summary>
    /// P(at least as many of all hits fall to the second) if both had the same rate: binomial with the second's share
    /// of the exposure.
    /// </summary>
    public static double SecondIsHigher(long firstHits, long firstTrials, long secondHits, long secondTrials)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(firstTrials);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(secondTrials);
        var share = (double)secondTrials / (firstTrials + secondTrials);
        return secondHits == 0 ? 1 : 1 - Binomial.CDF(share, checked((int)(firstHits + secondHits)), secondHits - 1);
    }
}
