namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class ChangePointDetectorTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(0.1)]
    [InlineData(2268.6666666666665)]
    public void Constant_series_has_no_change(double level) =>
        Assert.Empty(ChangePointDetector.Find([.. Enumerable.Repeat(level, 120)]));

    [Theory]
    [InlineData(2, 3)]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    [InlineData(1.0833333333333333, 2.0833333333333333)]
    public void Step_of_an_exact_count_is_found_with_its_second_value(double before, double after)
    {
        double[] steady = [.. Enumerable.Repeat(before, 30)];

        Assert.DoesNotContain(ChangePointDetector.Find([.. steady, after]), point => point.IsAgreed);
        var point = Assert.Single(ChangePointDetector.Find([.. steady, after, after]));
        Assert.Equal((30, before, after, true), (point.Index, point.Before, point.After, point.IsAgreed));
        Assert.Equal(0, point.PValue!.Value, 12);
    }

    [Fact]
    public void Single_outlier_is_not_a_change()
    {
        var dailyRuns = DailyRuns(60, _ => 1);
        dailyRuns[30] *= 3;

        Assert.DoesNotContain(ChangePointDetector.Find(dailyRuns), point => point.IsAgreed);
    }

    [Fact]
    public void Small_step_after_a_large_one_is_found_too()
    {
        var found = ChangePointDetector.Find(DailyRuns(140, daily => daily < 80 ? 1 : daily < 110 ? 3 : 3.9))
            .Where(point => point.IsAgreed).ToList();

        Assert.Equal(2, found.Count);
        Assert.Equal(80, found[0].Index);
        Assert.InRange(found[1].Index, 108, 112);
        Assert.InRange(found[0].Ratio, 2.9, 3.1);
        Assert.InRange(found[1].Ratio, 1.25, 1.35);
    }

    [Fact]
    public void Steps_further_apart_than_a_window_are_all_found()
    {
        var found = ChangePointDetector.Find(DailyRuns(300, daily => daily is >= 70 and < 200 ? 1.5 : 1))
            .Where(point => point.IsAgreed).ToList();

        Assert.Equal(2, found.Count);
        Assert.InRange(found[0].Index, 69, 71);
        Assert.InRange(found[1].Index, 199, 201);
    }

    [Fact]
    public void Step_and_its_mirror_image_are_found_alike()
    {
        var up = ChangePointDetector.Find(DailyRuns(60, daily => daily < 40 ? 1 : 1.3));
        var down =
            ChangePointDetector.Find([.. DailyRuns(60, daily => daily < 40 ? 1 : 1.3).Select(value => 1 / value)]);

        Assert.Equal(
            up.Select(point => (point.Index, point.IsAgreed)), down.Select(point => (point.Index, point.IsAgreed)));
        Assert.All(up.Zip(down), pair => Assert.Equal(pair.First.Ratio, 1 / pair.Second.Ratio, 4));
    }

    [Fact]
    public void Change_of_less_than_the_least_magnitude_is_not_reported()
    {
        Assert.Empty(ChangePointDetector.Find(DailyRunsUpTo(1020)));
        Assert.Equal(40, Assert.Single(ChangePointDetector.Find(DailyRunsUpTo(1040))).Index);

        static double[] DailyRunsUpTo(double level) =>
            [.. Enumerable.Repeat(1000.0, 40), .. Enumerable.Repeat(level, 40)];
    }

    [Fact]
    public void Point_that_only_one_method_sees_is_not_agreed()
    {
        var random = new Random(4);
        var watched = Enumerable.Range(0, 200).SelectMany(_ => ChangePointDetector.Find(DailyRuns(100, _ => 1, random)))
            .Where(point => !point.IsAgreed).ToList();

        Assert.NotEmpty(watched);
        Assert.All(watched, point => Assert.True(point.PValue is null || point.PValue < 0.0001));
        Assert.All(watched, point => Assert.True(Math.Max(point.Ratio, 1 / point.Ratio) >= 1.03));
    }

    [Fact]
    public void Series_too_short_for_two_levels_has_no_change() => Assert.Empty(ChangePointDetector.Find([1, 1, 9]));

    [Fact]
    public void Number_that_is_not_finite_is_refused() =>
        Assert.Contains(
            "NaN", Assert.Throws<ArgumentException>(() => ChangePointDetector.Find([1, 2, double.NaN, 3])).Message);

    private static double[] DailyRuns(int count, Func<int, double> level, Random? random = null) =>
        [.. Noise.Correlated(random ?? new Random(3), count, 0)
            .Select((value, daily) => level(daily) * Math.Exp(0.03 * value))];
}
