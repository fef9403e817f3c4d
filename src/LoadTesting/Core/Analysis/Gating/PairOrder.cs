namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// The order of the sides: a coin for each pair, so that whatever the machine does, and however alike neighbouring runs
/// are, the sign of a difference without a cause is a coin's. That is all that the signed-rank test assumes; of ABBA
/// and BAAB in blocks of two pairs, whose differences are correlated, it would assume more than is so.
/// </summary>
public static class PairOrder
{
    /// <summary>For each pair, whether its first side is the candidate.</summary>
    /// <param name="seed">
    /// Stored with the pairs; the same seed gives the same order, and a longer one begins with it.
    /// </param>
    public static IEnumerable<bool> CandidateFirst(int seed)
    {
        var random = new Random(seed);
        while (true)
        {
            yield return random.Next(2) == 1;
        }
    }
}
