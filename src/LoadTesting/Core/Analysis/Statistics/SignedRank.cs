namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Exact distribution of Wilcoxon's signed-rank statistic T⁺ under symmetry, by the subset-sum recurrence
/// f_n(t) = (f_{n-1}(t) + f_{n-1}(t − n)) / 2. Source: Hollander, Wolfe, Chicken, Nonparametric Statistical Methods,
/// section 3.1.
/// </summary>
internal static class SignedRank
{
    /// <summary>
    /// Most pairs that are taken: the halved sums are then still exact to the last digits that a level needs.
    /// </summary>
    public const int MaxPairs = 1000;

    private static readonly ConcurrentDictionary<(int Pairs, double Level), int> Known = new();

    /// <summary>
    /// The greatest c with P(T⁺ ≤ c) ≤ <paramref name="level"/>; null when even c = 0 is likelier than that: too few
    /// pairs.
    /// </summary>
    /// <param name="pairs">Differences, 1 to <see cref="MaxPairs"/>.</param>
    /// <param name="level">One-sided error, above 0 and below 1.</param>
    public static int? Critical(int pairs, double level)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(level);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(level, 1);
        var c = Known.GetOrAdd((pairs, level), static key => Greatest(key.Pairs, key.Level));
        return c < 0 ? null : c;
    }

    private static int Greatest(int pairs, double level)
    {
        var (sum, c) = (0.0, -1);
        foreach (var probability in Probabilities(pairs))
        {
            sum += probability;
            if (sum > level)
            {
                break;
            }

            c++;
        }

        return c;
    }

    /// <summary>The probability of each value of T⁺, from 0 on.</summary>
    internal static double[] Probabilities(int pairs)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(pairs);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pairs, MaxPairs);
        var probabilities = new double[(pairs * (pairs + 1) / 2) + 1];
        probabilities[0] = 1;
        for (var n = 1; n <= pairs; n++)
        {
            for (var t = n * (n + 1) / 2; t >= 0; t--)
            {
                probabilities[t] = (probabilities[t] + (t >= n ? probabilities[t - n] : 0)) / 2;
            }
        }

        return probabilities;
    }
}
