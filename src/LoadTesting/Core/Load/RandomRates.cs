namespace LoadTesting.Core.Load;

/// <summary>A rate for each interval, uniform from the lowest to the highest, both included; the same seed gives the same rates.</summary>
internal sealed class RandomRates(int minRate, int maxRate, int seed)
{
    private readonly Random _random = new(seed);

    internal int Next() => (int)_random.NextInt64(minRate, maxRate + 1L);

    /// <summary>The rate of the interval with that number, from 0, where none has been drawn yet.</summary>
    internal int OfInterval(long number)
    {
        for (var earlier = 0L; earlier < number; earlier++)
        {
            Next();
        }

        return Next();
    }
}
