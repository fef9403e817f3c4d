namespace LoadTesting.Core.Load;

/// <summary>
/// Creates the load of a scenario. The simulations of a scenario run one after the other on one schedule: each begins
/// at the planned end of the one before. A ramp starts at the level where the simulation before ended, or at 0 if it is
/// the first or follows a pause.
/// </summary>
public static class Simulation
{
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(10_000);

    /// <summary>
    /// Open model: <paramref name="rate"/> iterations start in every <paramref name="interval"/> for
    /// <paramref name="during"/>, on an absolute schedule that does not wait for earlier iterations.
    /// </summary>
    /// <param name="rate">Iterations per interval; at least 1.</param>
    /// <param name="interval">Longer than zero, at most <paramref name="during"/>.</param>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <param name="pattern">Even gaps, or a Poisson process of the same mean rate.</param>
    /// <param name="seed">Seed of the Poisson process.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation Inject(
        int rate, TimeSpan interval, TimeSpan during, ArrivalPattern pattern = ArrivalPattern.Even, int seed = 1)
    {
        AtLeast(1, rate, nameof(rate));
        IntervalWithin(interval, during);
        if (!Enum.IsDefined(pattern))
        {
            throw new ArgumentOutOfRangeException(
                nameof(pattern), pattern,
                $"Arrival pattern {pattern} is none of {string.Join(", ", Enum.GetNames<ArrivalPattern>())}.");
        }

        return new InjectSimulation(rate, interval, during, pattern, seed);
    }

    /// <summary>
    /// Open model: the rate changes linearly to <paramref name="rate"/> iterations per <paramref name="interval"/>,
    /// starting where the simulation before ended, or at 0. Each iteration is due when the integral of the rate reaches
    /// its number, so that there are no steps.
    /// </summary>
    /// <param name="rate">Iterations per interval at the end; at least 0. A ramp from 0 to 0 is refused by the
    /// scenario.</param>
    /// <param name="interval">The time that <paramref name="rate"/> refers to; longer than zero, at most
    /// <paramref name="during"/>.</param>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation RampingInject(int rate, TimeSpan interval, TimeSpan during)
    {
        AtLeast(0, rate, nameof(rate));
        IntervalWithin(interval, during);
        return new RampingInjectSimulation(ArrivalRate.None, rate, interval, during);
    }

    /// <summary>
    /// Open model: each <paramref name="interval"/> has its own rate, drawn uniformly from <paramref name="minRate"/>
    /// to <paramref name="maxRate"/>, and even gaps. The last interval ends with the simulation. A following ramp
    /// starts at the last rate.
    /// </summary>
    /// <param name="minRate">Fewest iterations per interval; at least 0, at most <paramref name="maxRate"/>.</param>
    /// <param name="maxRate">Most iterations per interval, included; at least 1.</param>
    /// <param name="interval">How long a rate is kept; longer than zero, at most <paramref name="during"/>.</param>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <param name="seed">Seed of the rates; it is part of the result's description of the load.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation InjectRandom(
        int minRate, int maxRate, TimeSpan interval, TimeSpan during, int seed = 1)
    {
        AtLeast(0, minRate, nameof(minRate));
        AtLeast(1, maxRate, nameof(maxRate));
        if (minRate > maxRate)
        {
            throw new ArgumentOutOfRangeException(
                nameof(minRate), minRate,
                $"The lowest rate {minRate} is above the highest rate {maxRate}; exchange them.");
        }

        IntervalWithin(interval, during);
        return new InjectRandomSimulation(minRate, maxRate, interval, during, seed);
    }

    /// <summary>
    /// Open model: <paramref name="iterations"/> iterations in total, <paramref name="rate"/> in every
    /// <paramref name="interval"/>. Ends by its schedule, whether or not the iterations have ended.
    /// </summary>
    /// <param name="rate">Iterations per interval; at least 1.</param>
    /// <param name="interval">Longer than zero.</param>
    /// <param name="iterations">At least 1; at that rate they take at most 10,000 days.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation IterationsForInject(int rate, TimeSpan interval, long iterations)
    {
        AtLeast(1, rate, nameof(rate));
        Duration(interval, nameof(interval));
        AtLeast(1, iterations, nameof(iterations));
        var ticks = (((Int128)interval.Ticks * iterations) + rate - 1) / rate;
        if (ticks > s_longest.Ticks)
        {
            throw new ArgumentOutOfRangeException(
                nameof(iterations), iterations,
                $"{iterations} iterations, {rate} per {interval}, take longer than {s_longest.TotalDays} "
                    + "days; raise the rate or ask for fewer.");
        }

        return new IterationsForInjectSimulation(rate, interval, iterations, TimeSpan.FromTicks((long)ticks));
    }

    /// <summary>
    /// Closed model: <paramref name="copies"/> copies each start their next iteration when the one before has ended,
    /// for <paramref name="during"/>.
    /// </summary>
    /// <param name="copies">At least 1.</param>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation KeepConstant(int copies, TimeSpan during)
    {
        AtLeast(1, copies, nameof(copies));
        Duration(during, nameof(during));
        return new KeepConstantSimulation(copies, during);
    }

    /// <summary>
    /// Closed model: the number of copies changes linearly, rounded up to whole copies, to <paramref name="copies"/>,
    /// starting at that of the simulation before, or at 0. A surplus copy ends its iteration first. Copies continue
    /// into a following <see cref="KeepConstant"/> or ramp.
    /// </summary>
    /// <param name="copies">Copies at the end; at least 0. A ramp from 0 to 0 is refused by the scenario.</param>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation RampingConstant(int copies, TimeSpan during)
    {
        AtLeast(0, copies, nameof(copies));
        Duration(during, nameof(during));
        return new RampingConstantSimulation(0, copies, during);
    }

    /// <summary>
    /// Closed model: <paramref name="iterations"/> iterations in total, <paramref name="copies"/> at a time. Ends with
    /// the last iteration.
    /// </summary>
    /// <param name="copies">At least 1, at most <paramref name="iterations"/>.</param>
    /// <param name="iterations">At least 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation IterationsForConstant(int copies, long iterations)
    {
        AtLeast(1, copies, nameof(copies));
        AtLeast(1, iterations, nameof(iterations));
        if (copies > iterations)
        {
            throw new ArgumentOutOfRangeException(
                nameof(copies), copies,
                $"{copies} copies have nothing to do with {iterations} iterations; lower the copies.");
        }

        return new IterationsForConstantSimulation(copies, iterations);
    }

    /// <summary>
    /// Open and closed model: no iteration starts for <paramref name="during"/>, counted from the planned end of the
    /// simulation before; running iterations continue. A pause is part of the planned and the real duration. Rates
    /// exclude the part of it during which nothing was in flight.
    /// </summary>
    /// <param name="during">Longer than zero, at most 10,000 days.</param>
    /// <exception cref="ArgumentOutOfRangeException">The argument is out of its range; the message names it and its
    /// value.</exception>
    public static LoadSimulation Pause(TimeSpan during)
    {
        Duration(during, nameof(during));
        return new PauseSimulation(during);
    }

    private static void AtLeast(long minimum, long value, string name)
    {
        if (value < minimum)
        {
            throw new ArgumentOutOfRangeException(name, value, $"'{name}' is {value}; it is at least {minimum}.");
        }
    }

    private static void IntervalWithin(TimeSpan interval, TimeSpan during)
    {
        Duration(during, nameof(during));
        Duration(interval, nameof(interval));
        if (interval > during)
        {
            throw new ArgumentOutOfRangeException(
                nameof(interval), interval,
                $"The interval {interval} is longer than the duration {during}; lower the interval.");
        }
    }

    private static void Duration(TimeSpan value, string name)
    {
        if (value <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(name, value, $"'{name}' is {value}; it is longer than zero.");
        }

        if (value > s_longest)
        {
            throw new ArgumentOutOfRangeException(
                name, value, $"'{name}' is {value}; it is at most {s_longest.TotalDays} days.");
        }
    }
}
