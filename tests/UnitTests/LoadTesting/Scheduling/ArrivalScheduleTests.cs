using LoadTesting.Core.Scenarios;
using LoadTesting.Core.Scheduling;
using Xunit;

namespace UnitTests.LoadTesting.Scheduling;

public sealed class ArrivalScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Even_arrivals_are_equally_far_apart_to_the_tick()
    {
        var offsets = Offsets(Simulation.Inject(7, s_second, TimeSpan.FromSeconds(3)));

        Assert.Equal(21, offsets.Count);
        Assert.All(offsets.Select((offset, index) => (offset, index)), arrival =>
            Assert.Equal((long)((Int128)arrival.index * System.Diagnostics.Stopwatch.Frequency / 7), arrival.offset));
    }

    [Fact]
    public void Rounding_does_not_add_up_over_a_day()
    {
        var schedule = (EvenArrivalSchedule)ArrivalSchedule.Create((InjectSimulation)Simulation.Inject(3, TimeSpan.FromMilliseconds(10), TimeSpan.FromHours(1)));
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
        Assert.Equal(Offsets(Poisson(5)), Offsets(Poisson(5)));
        Assert.NotEqual(Offsets(Poisson(5)), Offsets(Poisson(6)));
    }

    [Fact]
    public void Poisson_arrivals_have_the_mean_rate_and_the_spread_of_exponential_gaps()
    {
        var offsets = Offsets(Poisson(1));
        var gaps = offsets.Zip(offsets.Skip(1), (earlier, later) => (double)(later - earlier)).ToArray();
        var mean = gaps.Average();
        var deviation = Math.Sqrt(gaps.Average(gap => (gap - mean) * (gap - mean)));

        // Standard error of the count is 1 %, of the coefficient of variation about 1.4 %.
        Assert.InRange(offsets.Count, 9_600, 10_400);
        Assert.InRange(deviation / mean, 0.94, 1.06);
        Assert.Equal(offsets.Order(), offsets);
    }

    private static LoadSimulation Poisson(int seed) => Simulation.Inject(1_000, s_second, TimeSpan.FromSeconds(10), ArrivalPattern.Poisson, seed);

    private static List<long> Offsets(LoadSimulation simulation)
    {
        var schedule = ArrivalSchedule.Create((InjectSimulation)simulation);
        var offsets = new List<long>();
        while (schedule.TryNext(out var offset))
        {
            offsets.Add(offset);
        }

        return offsets;
    }
}
