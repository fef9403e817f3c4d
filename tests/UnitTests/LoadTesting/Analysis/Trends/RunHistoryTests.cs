using LoadTesting.Core.Analysis.Trends;
using UnitTests.LoadTesting.Analysis.Statistics;

namespace UnitTests.LoadTesting.Analysis.Trends;

public sealed class RunHistoryTests
{
    private const string Pinned = "feedface00000000000000000000000000000000";

    [Fact]
    public void Daily_run_is_the_median_of_its_repetitions()
    {
        var history = RunHistory.Of(
            [DailyRuns.Run(0, 1000), DailyRuns.Run(0, 900, minutes: 50), DailyRuns.Run(0, 400, minutes: 100),
                DailyRuns.Run(1, 1100)]);

        var series = Series(history, "throughput");
        Assert.Equal([(900.0, 3), (1100.0, 1)], series.Points.Select(point => (point.Value, point.Repetitions)));
    }

    [Fact]
    public void Commits_of_one_daily_run_are_values_of_their_own()
    {
        var other = new string('a', 40);

        var points = Series(
            RunHistory.Of([DailyRuns.Run(0, 1000), DailyRuns.Run(0, 800, minutes: 30, commit: other)]),
            "throughput").Points;

        Assert.Equal([1000.0, 800.0], points.Select(point => point.Value));
    }

    [Fact]
    public void Change_is_reported_with_the_commits_on_both_sides()
    {
        var dailyRuns = DailyRuns.Of(50, daily => daily < 40 ? 1000 : 700);
        var seen = Enumerable.Range(41, 9).Select(count => Agreed([.. dailyRuns.Take(count)]))
            .SkipWhile(change => change is null).ToList();

        Assert.Equal([true, .. Enumerable.Repeat(false, seen.Count - 1)], seen.Select(change => change!.IsNew));
        var newest = seen[^1]!;
        Assert.True(newest.IsWorse);
        Assert.Equal((dailyRuns[39].RunId, dailyRuns[40].RunId), (newest.Last.Run.RunId, newest.First.Run.RunId));
        Assert.InRange(newest.Point.Ratio, 0.66, 0.74);
        Assert.InRange(seen.Count, 6, 8);

        static HistoryChange? Agreed(IReadOnlyList<RunResult> runs) =>
            Series(RunHistory.Of(runs), "throughput").Changes.SingleOrDefault(change => change.Point.IsAgreed);
    }

    [Fact]
    public void More_throughput_is_better_and_more_commits_are_worse()
    {
        var dailyRuns = DailyRuns.Of(40, daily => daily < 20 ? 1000 : 1500)
            .Select((run, daily) =>
                daily < 20 ? run : DailyRuns.Run(daily, run.Scenarios[0].ThroughputPerSecond, commits: 3)).ToList();

        var history = RunHistory.Of(dailyRuns);

        Assert.False(Assert.Single(Series(history, "throughput").Changes).IsWorse);
        var commits = Assert.Single(Series(history, "commits per operation").Changes);
        Assert.Equal(
            (20, 2.0, 3.0, true), (commits.Point.Index, commits.Point.Before, commits.Point.After, commits.IsWorse));
    }

    [Fact]
    public void Series_restarts_on_another_machine()
    {
        var dailyRuns = DailyRuns.Of(40, daily => daily < 20 ? 1000 : 2000)
            .Select((run, daily) =>
                daily < 20 ? run : On("faster", run)).ToList();

        var history = RunHistory.Of(dailyRuns);

        var eras = history.Series.Where(series => series.Metric.Name == "throughput").ToList();
        Assert.Equal([(20, false), (20, true)], eras.Select(era => (era.Points.Count, era.IsCurrent)));
        Assert.Contains("processor Intel(R) Xeon(R) CPU @ 2.50GHz to faster", eras[1].Reset);
        Assert.All(history.Series, series => Assert.DoesNotContain(series.Changes, change => change.Point.IsAgreed));
    }

    [Fact]
    public void Slow_machine_is_not_a_change_beside_a_pinned_build()
    {
        var machine = Noise.Correlated(new Random(11), 60, 0.9).Select(value => Math.Exp(0.15 * value)).ToArray();
        var alone = DailyRuns.Of(60, daily => 1000 * machine[daily]);
        var pinned = machine.Select((speed, daily) => DailyRuns.Run(daily, 800 * speed, minutes: 20, commit: Pinned));

        Assert.Contains(Series(RunHistory.Of(alone), "throughput").Changes, change => change.Point.IsAgreed);

        var held = Series(RunHistory.Of([.. alone, .. pinned], "feedface"), "throughput");
        Assert.Equal((60, "feedface", 0), (held.Points.Count, held.Reference, held.DailyRunsWithoutReference));
        Assert.DoesNotContain(held.Changes, change => change.Point.IsAgreed);
        Assert.All(held.Points, point => Assert.InRange(point.Value, 1.1, 1.4));
    }

    [Fact]
    public void Daily_runs_without_the_pinned_build_are_left_out_and_counted()
    {
        var runs = DailyRuns.Of(6, _ => 1000);

        var held = Series(RunHistory.Of(
            [.. runs, DailyRuns.Run(1, 500, minutes: 10, commit: Pinned),
                DailyRuns.Run(4, 500, minutes: 10, commit: Pinned)],
            Pinned), "throughput");

        Assert.Equal((2, 4), (held.Points.Count, held.DailyRunsWithoutReference));
        Assert.All(held.Points, point => Assert.InRange(point.Value, 1.8, 2.2));
    }

    [Theory]
    [InlineData("feedface", "No run is of the reference build feedface. The runs are of 0000000, 0000001.")]
    [InlineData("00000", "The reference build 00000 may be any of 0000000000000000000000000000000000000000, 00000010")]
    public void Reference_that_is_not_one_build_of_the_runs_is_refused(string reference, string reported) =>
        Assert.StartsWith(
        reported,
        Assert.Throws<FormatException>(
            () => RunHistory.Of([DailyRuns.Run(0, 1000), DailyRuns.Run(1, 1000)], reference)).Message);

    [Fact]
    public void Reference_needs_another_build_beside_it() => Assert.Contains(
        "there is nothing to compare",
        Assert.Throws<FormatException>(() => RunHistory.Of([DailyRuns.Run(0, 1000)], "0000000")).Message);

    [Fact]
    public void Unsound_result_is_kept_but_in_no_level()
    {
        var history = RunHistory.Of([DailyRuns.Run(0, 1000), DailyRuns.Failed(1, 10)]);

        var series = Series(history, "throughput");
        Assert.Equal(1000, Assert.Single(series.Points).Value);
        Assert.Equal((10.0, "failed. stuck is 3"), (series.Unsound[0].Value, series.Unsound[0].Flaw));
        var reported = $"{DailyRuns.Failed(1, 10).RunId}, postgres-signal-roundtrip: failed. stuck is 3";
        Assert.Equal([reported], history.LeftOut);
        Assert.Equal([reported], history.NewFailures);
    }

    [Fact]
    public void Failure_is_new_once_and_in_the_first_daily_run_too()
    {
        var runs =
            new[] { DailyRuns.Failed(0, 10), DailyRuns.Run(1, 1000), DailyRuns.Failed(2, 10), DailyRuns.Failed(3, 10) };

        Assert.Equal([1, 0, 1, 0],
            Enumerable.Range(1, 4).Select(count => RunHistory.Of([.. runs.Take(count)]).NewFailures.Count));
        Assert.Contains("holds a result of the scenarios asked for",
            Assert.Throws<FormatException>(() => RunHistory.Of(runs, patterns: ["other"])).Message);
    }

    [Fact]
    public void Scenario_that_the_newest_daily_run_no_longer_has_is_new_once()
    {
        static RunResult Other(int daily)
        {
            var run = DailyRuns.Run(daily, 1000);
            return run with { Scenarios = [run.Scenarios[0] with { Name = "postgres-other" }] };
        }

        RunResult[] runs = [DailyRuns.Run(0, 1000), DailyRuns.Run(1, 1000, minutes: 5), Other(1), Other(2), Other(3)];

        Assert.Equal([0, 0, 0, 1, 0],
            Enumerable.Range(1, 5).Select(count => RunHistory.Of([.. runs.Take(count)]).NewFailures.Count));
        Assert.StartsWith("postgres-signal-roundtrip: the newest daily run has no result of it",
            RunHistory.Of(runs[..4]).NewFailures[0]);
    }

    [Fact]
    public void Result_with_a_planted_fault_is_in_no_level()
    {
        var run = DailyRuns.Run(1, 10);
        run = run with { Scenarios = [run.Scenarios[0] with { Injected = "delay:+30%" }] };

        Assert.EndsWith(
            "made worse on purpose (delay:+30%)", Assert.Single(RunHistory.Of([DailyRuns.Run(0, 1000), run]).LeftOut));
    }

    [Fact]
    public void Change_at_the_end_of_a_closed_era_is_not_new()
    {
        var dailyRuns = Enumerable.Range(41, 9).Select(count => DailyRuns.Of(count, daily => daily < 40 ? 1000 : 700))
            .First(runs => Series(RunHistory.Of(runs), "throughput").Changes.Any(change => change.IsNew));

        var later = DailyRuns.Of(dailyRuns.Count + 3, _ => 1000).Skip(dailyRuns.Count).Select(run => On("faster", run));
        var eras =
            RunHistory.Of([.. dailyRuns, .. later]).Series.Where(series => series.Metric.Name == "throughput").ToList();

        Assert.Equal([false, true], eras.Select(era => era.IsCurrent));
        Assert.False(eras[0].Changes.Single(change => change.Point.IsAgreed).IsNew);
    }

    [Fact]
    public void Change_of_a_retired_scenario_is_not_new()
    {
        var other = DailyRuns.Run(42, 1000);
        other = other with { Scenarios = [other.Scenarios[0] with { Name = "postgres-other" }] };

        var history = RunHistory.Of([.. DailyRuns.Of(42, daily => daily < 40 ? 1000 : 700), other]);

        Assert.DoesNotContain(history.Series.SelectMany(series => series.Changes), change => change.IsNew);
    }

    [Fact]
    public void Era_of_the_newest_daily_run_is_current()
    {
        // The kind of machine seen first is that of the newest daily run: its step of the last three is an alarm.
        var dailyRuns = DailyRuns.Of(83, daily => daily < 78 ? 1000 : 700)
            .Select((run, daily) => daily % 2 == 0 ? run : On("faster", run)).ToList();

        var eras = RunHistory.Of(dailyRuns).Series.Where(series => series.Metric.Name == "throughput").ToList();

        Assert.Equal([(42, true), (41, false)], eras.Select(era => (era.Points.Count, era.IsCurrent)));
        Assert.DoesNotContain(eras[1].Changes, change => change.IsNew);
        Assert.Contains(RunHistory.Of([.. dailyRuns.Take(81)]).Series.SelectMany(series => series.Changes),
            change => change is { IsNew: true, IsWorse: true });
    }

    [Fact]
    public void Change_that_two_commits_of_the_newest_daily_run_show_is_new()
    {
        var dailyRuns = DailyRuns.Of(41, daily => daily < 40 ? 1000 : 700);
        var more = Enumerable.Range(1, 3)
            .Select(index =>
                DailyRuns.Run(40, 700 + index, minutes: index, commit: new string((char)('a' + index), 40)));

        var change = Series(RunHistory.Of([.. dailyRuns, .. more]), "throughput").Changes
            .Single(change => change.Point.IsAgreed);

        Assert.True(change.IsNew);
    }

    [Fact]
    public void Capacity_is_a_series_with_its_bracket()
    {
        RunResult With(int daily, CapacityResult capacity) => DailyRuns.Run(daily, 1000) with { Capacity = [capacity] };
        var history = RunHistory.Of(
            [.. Enumerable.Range(0, 8).Select(daily => With(daily, DailyRuns.Capacity(daily < 6 ? 1000 : 500))),
            With(8, DailyRuns.Capacity(null))]);

        var series = Series(history, "capacity");
        Assert.Equal(("postgres-signal-capacity", 8), (series.Scenario, series.Points.Count));
        Assert.Equal((1000.0, 950.0, 1050.0),
            (series.Points[0].Value, series.Points[0].Interval!.Low, series.Points[0].Interval!.High));
        Assert.True(Assert.Single(series.Changes).IsWorse);
        Assert.Contains("the lowest load step", Assert.Single(history.NewFailures));
    }

    [Fact]
    public void Percentile_needs_ten_samples_beyond_it()
    {
        Assert.Equal([(19, ""), (20, "p50"), (199, "p50"), (200, "p50 p95"), (1000, "p50 p95 p99")],
            new[] { 19, 20, 199, 200, 1000 }.Select(samples => (samples, Percentiles(samples))));

        static string Percentiles(int samples)
        {
            var run = DailyRuns.Run(0, 1000);
            var histogram = new LatencyHistogram();
            for (var sample = 0; sample < samples; sample++)
            {
                histogram.RecordNanoseconds(1_000_000 + sample);
            }

            run = run with { Scenarios = [run.Scenarios[0] with { Latency = LatencyResult.From(histogram) }] };
            return string.Join(" ", RunHistory.Of([run]).Series.Select(series => series.Metric.Name)
                .Where(name => name.StartsWith("latency ", StringComparison.Ordinal))
                .Select(name => name["latency ".Length..]));
        }
    }

    private static RunResult On(string machine, RunResult run) =>
        run with { Environment = run.Environment with { CpuModel = machine } };

    private static HistorySeries Series(RunHistory history, string metric) =>
        Assert.Single(history.Series, series => series.Metric.Name == metric);
}
