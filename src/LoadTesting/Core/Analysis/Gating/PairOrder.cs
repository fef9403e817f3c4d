namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// The order of the legs: ABBA or BAAB for every two pairs, the first letter drawn for each block, so that neither a drift nor a
/// period of the machine falls on one side.
/// </summary>
public static class PairOrder
{
    /// <summary>For each pair, whether its first leg is the candidate.</summary>
    /// <param name="seed">Stored with the pairs; the same seed gives the same order, and a longer one begins with it.</param>
    public static IEnumerable<bool> CandidateFirst(int seed)
    {
        var random = new Random(seed);
        while (true)
        {
            var first = random.Next(2) == 1;
            yield return first;
            yield return !first;
        }
    }
}
