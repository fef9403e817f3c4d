namespace UnitTests.LoadTesting.Load.Pacing;

public sealed class ArrivalScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Even_arrivals_are_equally_far_apart_to_the_tick()
    {
        var offsets = Offsets.OfLast(Simulation.Inject(7, s_second, TimeSpan.FromSeconds(3)));

        Assert.Equal(21, offsets.Count);
        Assert.All(offsets.Select((offset, index) => (offset, index)), arrival =>
            Assert.Equal((long)((Int128)arrival.index * System.Diagnostics.Stopwatch.Frequency / 7), arrival.offset));
    }

    [Fact]
    public void Rounding_does_not_add_up_over_a_day()
    {
        var schedule = (EvenArrivalSchedule)ArrivalSchedule.Create(
            (OpenSimulation)Simulation.Inject(3, TimeSpan.FromMilliseconds(10), TimeSpan.FromHours(1)));
        long last = 0, count = 0;
        while (schedule.TryNext(out var offset))
        {
            (last, count) = (offset, count + 1);
        }

        Assert.Equal(3 * 100 * 3600, count);
        Assert.Equal(3600.0, (double)last / System.Diagnostics.Stopwatch.Frequency, 0.0034);
    }

    [Fact]
    public void Poisson_arrivals_depend_only_on_the_seed()
    {
        Assert.Equal(Offsets.OfLast(Poisson(5)), Offsets.OfLast(Poisson(5)));
        Assert.NotEqual(Offsets.OfLast(Poisson(5)), Offsets.OfLast(Poisson(6)));
    }

    [Fact]
    public void Poisson_arrivals_have_exponential_gaps()
    {
        var offsets = Offsets.OfLast(Poisson(1));
        var gaps = offsets.Zip(offsets.Skip(1), (earlier, later) => (double)(later - earlier)).ToArray();
        var mean = gaps.Average();
        var deviation = Math.Sqrt(gaps.Average(gap => (gap - mean) * (gap - mean)));

        // Standard error of the count is 1 %, of the coefficient of variation about 1.4 %.
        Assert.InRange(offsets.Count, 9_600, 10_400);
        Assert.InRange(deviation / mean, 0.94, 1.06);
        Assert.Equal(offsets.Order(), offsets);
    }

    [Fact]
    public void Number_of_iterations_is_met_exactly()
    {
        var offsets = Offsets.OfLast(Simulation.IterationsForInject(7, s_second, 23));

        Assert.Equal(Offsets.OfLast(Simulation.Inject(7, s_second, TimeSpan.FromSeconds(10))).Take(23), offsets);
    }

    [Fact]
    public void Random_rate_of_an_interval_comes_from_the_seed()
    {
        var frequency = System.Diagnostics.Stopwatch.Frequency;
        var offsets = Offsets.OfLast(Simulation.InjectRandom(3, 9, s_second, 4.5 * s_second, seed: 11));

        var random = new Random(11);
        var expected = Enumerable.Range(0, 5).SelectMany(interval =>
        {
            var rate = random.NextInt64(3, 10);
            return Enumerable.Range(0, (int)rate).Select(index => (interval * frequency) + (index * frequency / rate));
        }).Where(offset => offset < 4.5 * frequency);
        Assert.Equal(expected, offsets);
    }

    [Fact]
    public void Random_rates_reach_both_ends_of_their_range()
    {
        var tenth = s_second / 10;
        var offsets = Offsets.OfLast(Simulation.InjectRandom(0, 3, tenth, 100 * s_second, seed: 2));
        var perInterval = offsets.CountBy(offset => offset / (System.Diagnostics.Stopwatch.Frequency / 10))
            .Select(count => count.Value).ToArray();

        // 1,000 draws of four values: each about 250 times, with a standard deviation of 14.
        Assert.InRange(1_000 - perInterval.Length, 180, 320);
        Assert.All([1, 2, 3], rate => Assert.InRange(perInterval.Count(count => count == rate), 180, 320));
        Assert.Equal(offsets, Offsets.OfLast(Simulation.InjectRandom(0, 3, tenth, 100 * s_second, seed: 2)));
        Assert.NotEqual(offsets, Offsets.OfLast(Simulation.InjectRandom(0, 3, tenth, 100 * s_second, seed: 3)));
    }

    private static LoadSimulation Poisson(int seed) =>
        Simulation.Inject(1_000, s_second, TimeSpan.FromSeconds(10), ArrivalPattern.Poisson, seed);
}
