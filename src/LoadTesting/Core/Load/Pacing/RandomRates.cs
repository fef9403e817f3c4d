namespace LoadTesting.Core.Load.Pacing;

/// <summary>
/// A rate for each interval, drawn uniformly between two limits, both included. The same seed gives the same rates.
/// </summary>
internal sealed class RandomRates(int minRate, int maxRate, int seed)
{
    private readonly Random _random = new(seed);

    internal double Mean => ((double)minRate + maxRate) / 2;

    internal int Next() => (int)_random.NextInt64(minRate, maxRate + 1L);

    /// <summary>The rate of an interval, numbered from 0. Call it before any rate is drawn.</summary>
    internal int OfInterval(long number)
    {
        for (var earlier = 0L; earlier < number; earlier++)
        {
            Next();
        }

        return Next();
    }
}
