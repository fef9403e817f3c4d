namespace LoadTesting.Core.Scenarios;

/// <summary>Makes the load of a scenario. Several simulations of one scenario run one after the other.</summary>
public static class Simulation
{
    /// <summary>
    /// Open model: <paramref name="rate"/> iterations start in every <paramref name="interval"/> for <paramref name="during"/>, on an absolute
    /// schedule that does not wait for earlier iterations.
    /// </summary>
    /// <param name="rate">Iterations per interval; at least 1.</param>
    /// <param name="interval">Longer than zero, at most <paramref name="during"/>.</param>
    /// <param name="during">Longer than zero.</param>
    /// <param name="pattern">Even gaps, or a Poisson process of the same mean rate.</param>
    /// <param name="seed">Seed of the Poisson process.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its value.</exception>
    public static LoadSimulation Inject(
        int rate, TimeSpan interval, TimeSpan during, ArrivalPattern pattern = ArrivalPattern.Even, int seed = 1)
    {
        AtLeastOne(rate, nameof(rate));
        LongerThanZero(during, nameof(during));
        LongerThanZero(interval, nameof(interval));
        if (interval > during)
        {
            throw new ArgumentOutOfRangeException(nameof(interval), interval, $"The interval {interval} is longer than the duration {during}; lower the interval.");
        }

        if (!Enum.IsDefined(pattern))
        {
            throw new ArgumentOutOfRangeException(nameof(pattern), pattern, $"Arrival pattern {pattern} is none of {string.Join(", ", Enum.GetNames<ArrivalPattern>())}.");
        }

        return new InjectSimulation(rate, interval, during, pattern, seed);
    }

    /// <summary>Closed model: <paramref name="copies"/> copies each start their next iteration when the one before has ended, for <paramref name="during"/>.</summary>
    /// <param name="copies">At least 1.</param>
    /// <param name="during">Longer than zero.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its value.</exception>
    public static LoadSimulation KeepConstant(int copies, TimeSpan during)
    {
        AtLeastOne(copies, nameof(copies));
        LongerThanZero(during, nameof(during));
        return new KeepConstantSimulation(copies, during);
    }

    /// <summary>Closed model: <paramref name="iterations"/> iterations in all, <paramref name="copies"/> at a time. Ends when they have ended.</summary>
    /// <param name="copies">At least 1, at most <paramref name="iterations"/>.</param>
    /// <param name="iterations">At least 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its value.</exception>
    public static LoadSimulation IterationsForConstant(int copies, long iterations)
    {
        AtLeastOne(copies, nameof(copies));
        AtLeastOne(iterations, nameof(iterations));
        if (copies > iterations)
        {
            throw new ArgumentOutOfRangeException(nameof(copies), copies, $"{copies} copies have nothing to do with {iterations} iterations; lower the copies.");
        }

        return new IterationsForConstantSimulation(copies, iterations);
    }

    private static void AtLeastOne(long value, string name)
    {
        if (value < 1)
        {
            throw new ArgumentOutOfRangeException(name, value, $"'{name}' is {value}; it is at least 1.");
        }
    }

    private static void LongerThanZero(TimeSpan value, string name)
    {
        if (value <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(name, value, $"'{name}' is {value}; it is longer than zero.");
        }
    }
}
