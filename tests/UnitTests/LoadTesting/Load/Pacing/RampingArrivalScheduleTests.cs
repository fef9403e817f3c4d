using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Pacing;

public sealed class RampingArrivalScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Arrival_is_due_when_the_rate_integral_reaches_it()
    {
        var offsets = Offsets.OfLast(Simulation.RampingInject(100, s_second, 10 * s_second));

        // The rate is 10 t, its integral 5 t²: arrival i is due at the square root of i / 5.
        Assert.Equal(500, offsets.Count);
        Assert.All(
            Seconds(offsets).Select((at, index) => (at, index)),
            arrival => Assert.Equal(Math.Sqrt(arrival.index / 5.0), arrival.at, 2e-9));
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
            Assert.Equal(
                arrival.index, (from * arrival.at) + ((to - from) * arrival.at * arrival.at / (2.0 * seconds)), 1e-5));
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
        var down = Seconds(
            Offsets.OfLast(
                Simulation.Inject(400, s_second, s_second), Simulation.RampingInject(0, s_second, 5 * s_second)));

        // Arrival i of one is as far from its start as arrival n - i of the other from its end.
        Assert.Equal(1_000, up.Length);
        Assert.Equal(1_000, down.Length);
        Assert.All(Enumerable.Range(1, 999), index => Assert.Equal(5 - up[index], down[1_000 - index], 3e-9));
    }

    [Fact]
    public void Uneven_rates_and_intervals_neither_add_nor_lose_an_arrival()
    {
        var third = s_second / 3;

        // Ticks of 100 ns: 3,333,333 to an interval. (0 + 7) / 2 arrivals in each of them over 30,000,000 ticks are
        // 31.50000315, rounded up 32.
        Assert.Equal(32, Offsets.OfLast(Simulation.RampingInject(7, third, 3 * s_second)).Count);

        // 1 per 0.1 s is 10 per second: (10 + 20) / 2 per second over 3 s are 45, without a rest that would make it 46.
        Assert.Equal(
            45, Offsets.OfLast(Simulation.Inject(1, s_second / 10, s_second),
                Simulation.RampingInject(20, s_second, 3 * s_second)).Count);
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

    private static double[] Seconds(List<long> offsets) =>
        [.. offsets.Select(offset => (double)offset / Stopwatch.Frequency)];
}
