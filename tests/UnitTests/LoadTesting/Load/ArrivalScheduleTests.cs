using System.Diagnostics;

namespace UnitTests.LoadTesting.Load;

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
    public void Poisson_arrivals_of_one_seed_are_always_the_same_and_of_another_are_not()
    {
        Assert.Equal(Offsets.OfLast(Poisson(5)), Offsets.OfLast(Poisson(5)));
        Assert.NotEqual(Offsets.OfLast(Poisson(5)), Offsets.OfLast(Poisson(6)));
    }

    [Fact]
    public void Poisson_arrivals_have_the_mean_rate_and_the_spread_of_exponential_gaps()
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
    public void A_number_of_iterations_is_met_exactly_at_the_same_times_as_without_a_number()
    {
        var offsets = Offsets.OfLast(Simulation.IterationsForInject(7, s_second, 23));

        Assert.Equal(Offsets.OfLast(Simulation.Inject(7, s_second, TimeSpan.FromSeconds(10))).Take(23), offsets);
    }

    [Fact]
    public void Each_interval_has_its_own_rate_from_the_seed_with_even_gaps_and_the_last_one_is_cut()
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
    public void Random_rates_reach_both_ends_are_repeated_by_their_seed_and_may_leave_intervals_empty()
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

public sealed class RampingArrivalScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void From_nothing_arrival_i_is_due_when_the_integral_of_the_rate_has_come_to_i()
    {
        var offsets = Offsets.OfLast(Simulation.RampingInject(100, s_second, 10 * s_second));

        // The rate is 10 t, its integral 5 t²: arrival i is due at the square root of i / 5.
        Assert.Equal(500, offsets.Count);
        Assert.All(
            Seconds(offsets).Select((at, index) => (at, index)), arrival => Assert.Equal(Math.Sqrt(arrival.index / 5.0), arrival.at, 2e-9));
    }

    [Theory]
    [InlineData(0, 7, 3)]
    [InlineData(50, 200, 4)]
    [InlineData(200, 50, 4)]
    [InlineData(1_000, 0, 2)]
    [InlineData(99, 100, 60)]
    [InlineData(1, 1, 17)]
    public void Up_to_any_arrival_the_integral_of_the_rate_is_its_number(int from, int to, int seconds)
    {
        var offsets = Offsets.OfLast(Before(from), Simulation.RampingInject(to, s_second, seconds * s_second));

        Assert.All(Seconds(offsets).Select((at, index) => (at, index)), arrival =>
            Assert.Equal(arrival.index, (from * arrival.at) + ((to - from) * arrival.at * arrival.at / (2.0 * seconds)), 1e-5));
        Assert.Equal((int)Math.Ceiling((from + to) * seconds / 2.0), offsets.Count);
        Assert.Equal(offsets.Order(), offsets);
        Assert.All(offsets, offset => Assert.InRange(offset, 0, (seconds * Stopwatch.Frequency) - 1));
    }

    [Fact]
    public void A_ramp_that_stays_level_is_an_even_schedule()
    {
        var inject = Simulation.Inject(70, s_second, 3 * s_second);

        var even = Offsets.OfLast(inject);
        var level = Offsets.OfLast(inject, Simulation.RampingInject(70, s_second, 3 * s_second));

        Assert.Equal(even.Count, level.Count);
        Assert.All(even.Zip(level), pair => Assert.InRange(Math.Abs(pair.First - pair.Second), 0, 1));
    }

    [Fact]
    public void A_ramp_down_mirrors_a_ramp_up()
    {
        var up = Seconds(Offsets.OfLast(Simulation.RampingInject(400, s_second, 5 * s_second)));
        var down = Seconds(Offsets.OfLast(Simulation.Inject(400, s_second, s_second), Simulation.RampingInject(0, s_second, 5 * s_second)));

        // Arrival i of the one is as far from its start as arrival n - i of the other is from its end; arrival 0 has no counterpart.
        Assert.Equal(1_000, up.Length);
        Assert.Equal(1_000, down.Length);
        Assert.All(Enumerable.Range(1, 999), index => Assert.Equal(5 - up[index], down[1_000 - index], 3e-9));
    }

    [Fact]
    public void Uneven_rates_and_intervals_neither_add_nor_lose_an_arrival()
    {
        var third = s_second / 3;

        // Ticks of 100 ns: 3,333,333 to an interval. (0 + 7) / 2 arrivals in each of them over 30,000,000 ticks are 31.50000315, rounded up
        // 32.
        Assert.Equal(32, Offsets.OfLast(Simulation.RampingInject(7, third, 3 * s_second)).Count);

        // 1 per 0.1 s is 10 per second: (10 + 20) / 2 per second over 3 s are 45, without a rest that would make it 46.
        Assert.Equal(
            45, Offsets.OfLast(Simulation.Inject(1, s_second / 10, s_second), Simulation.RampingInject(20, s_second, 3 * s_second)).Count);
    }

    [Fact]
    public void Over_a_day_the_last_arrivals_are_still_where_they_belong()
    {
        var offsets = Offsets.OfLast(Simulation.RampingInject(60, TimeSpan.FromMinutes(1), TimeSpan.FromDays(1)));

        Assert.Equal(43_200, offsets.Count);
        Assert.Equal(86_400 * Math.Sqrt(43_199 / 43_200.0), Seconds(offsets)[^1], 1e-6);
    }

    private static LoadSimulation Before(int rate) =>
        rate == 0 ? Simulation.Pause(s_second) : Simulation.Inject(rate, s_second, s_second);

    private static double[] Seconds(List<long> offsets) => [.. offsets.Select(offset => (double)offset / Stopwatch.Frequency)];
}
