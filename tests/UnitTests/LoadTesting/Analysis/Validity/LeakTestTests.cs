using LoadTesting.Core.Analysis.Validity;
using UnitTests.LoadTesting.Analysis.Statistics;

namespace UnitTests.LoadTesting.Analysis.Validity;

/// <summary>Simulated soaks of ten minutes with a reading each second of 200 MB that fluctuate by 5 MB.</summary>
public sealed class LeakTestTests
{
    private const int Seconds = 600;
    private const double Level = 200e6;
    private const double Fluctuation = 5e6;

    [Theory]
    [InlineData(0)]
    [InlineData(0.9)]
    public void Resource_that_only_fluctuates_is_not_named(double correlation)
    {
        var random = new Random(1);

        Assert.Equal(0, Enumerable.Range(0, 300).Count(_ => Leaks(Series(random, correlation, growth: 0))));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.9)]
    public void Resource_that_grows_by_a_fifth_is_named(double correlation)
    {
        var random = new Random(2);

        Assert.Equal(100, Enumerable.Range(0, 100).Count(_ => Leaks(Series(random, correlation, growth: 0.2))));
    }

    [Fact]
    public void Growth_within_a_tenth_is_let_pass_however_sure_it_is()
    {
        var (result, check) = LeakTest.Judge(Series(new Random(3), 0, growth: 0.08), TimeSpan.FromMinutes(10));

        Assert.True(result!.GrowthLow > 0, check.Reason);
        Assert.False(result.Leaks, check.Reason);
    }

    [Fact]
    public void Growth_that_ends_within_the_first_tenth_is_warm_up()
    {
        var series = Series(new Random(4), 0, growth: 0);
        var warm =
            series with { Values = [.. series.Values.Select((v, i) => v - Math.Max(0, Level * (1 - (i / 60.0))))] };

        Assert.False(Leaks(warm));
    }

    [Fact]
    public void Sawtooth_of_uncollected_garbage_is_judged_by_its_lower_edge()
    {
        double[] saw = [.. Enumerable.Range(0, Seconds).Select(i => Level + (i % 40 * 3e6))];
        var series = new LeakSeries(Probe(minimum: true), Moments(), saw);

        Assert.False(Leaks(series));
        Assert.True(Leaks(series with { Values = [.. saw.Select((v, i) => v + (i * 1e5))] }));
    }

    [Fact]
    public void Growth_from_nothing_is_held_against_the_floor()
    {
        var probe = Probe() with { Floor = 8 };

        Assert.False(Leaks(new(probe, Moments(), [.. Moments().Select(t => t / 100)])));
        Assert.True(Leaks(new(probe, Moments(), [.. Moments().Select(t => t / 10)])));
    }

    [Fact]
    public void Failed_check_names_resource_growth_and_what_is_allowed()
    {
        var (_, check) = LeakTest.Judge(Series(new Random(5), 0, growth: 0.5), TimeSpan.FromMinutes(10));

        Assert.Equal(
            (CheckOutcome.Failed, CheckSubject.System, "workingSetSlope"), (check.Outcome, check.Subject, check.Name));
        Assert.Matches(
            "^workingSet went from [0-9.]+ MB to [0-9.]+ in [0-9]+ s, growth [0-9.]+ .99 % sure: .*, [0-9.]+ allowed$",
            check.Reason);
        Assert.InRange(check.Value!.Value, 0.4 * Level, 0.5 * Level);
    }

    [Fact]
    public void Short_soak_has_no_slope()
    {
        var (result, check) = LeakTest.Judge(Series(new Random(6), 0, growth: 1), TimeSpan.FromSeconds(30));

        Assert.Null(result);
        Assert.Equal(
            (CheckOutcome.NotApplicable, "slopes need 10 minutes; the load lasted 0.5"), (check.Outcome, check.Reason));
    }

    [Theory]
    [InlineData(0, CheckOutcome.Failed, CheckSubject.System)]
    [InlineData(Seconds, CheckOutcome.Failed, CheckSubject.System)]
    [InlineData(Seconds + 1, CheckOutcome.Failed, CheckSubject.Measurement)]
    public void Resource_is_judged_by_its_successful_readings(int failed, CheckOutcome outcome, CheckSubject subject)
    {
        var series = Series(new Random(7), 0, growth: 0.5)
            with { Error = failed == 0 ? null : "connection refused", Failed = failed };

        var (result, check) = LeakTest.Judge(series, TimeSpan.FromMinutes(10));

        Assert.Equal((outcome, subject, "workingSetSlope"), (check.Outcome, check.Subject, check.Name));
        Assert.Equal(subject == CheckSubject.System, result is not null);
        Assert.Equal(
            subject == CheckSubject.Measurement,
            check.Reason == $"{failed} of {Seconds + failed} readings of workingSet failed: connection refused");
    }

    [Fact]
    public void Short_soak_needs_no_reading() => Assert.Equal(
        CheckOutcome.NotApplicable,
        LeakTest.Judge(
            new LeakSeries(Probe(), [], [], "connection refused", 30), TimeSpan.FromSeconds(30)).Check.Outcome);

    private static bool Leaks(LeakSeries series) => LeakTest.Judge(series, TimeSpan.FromSeconds(Seconds)).Result!.Leaks;

    private static LeakProbe Probe(bool minimum = false) =>
        new("workingSet", "bytes", 0, _ => ValueTask.FromResult<double?>(0)) { TakesMinimum = minimum };

    private static double[] Moments() => [.. Enumerable.Range(0, Seconds).Select(i => (double)i)];

    private static LeakSeries Series(Random random, double correlation, double growth)
    {
        var noise = Noise.Correlated(random, Seconds, correlation);
        return new(Probe(), Moments(),
            [.. noise.Select((e, i) => Level + (Fluctuation * e) + (growth * Level * i / Seconds))]);
    }
}
