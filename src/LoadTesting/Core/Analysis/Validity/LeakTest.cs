using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Validity;

/// <summary>
/// Judges whether a resource grew over a soak: by more than a tenth along the slope of Theil and Sen, and surely so.
/// The first tenth of the time is warm-up and left out; the rest is cut into at most 60 windows of one value each,
/// because neighbouring samples resemble each other and would make the interval too narrow.
/// </summary>
public static class LeakTest
{
    /// <summary>A soak shorter than this has no slopes: pools, caches and the heap still fill.</summary>
    public static readonly TimeSpan ShortestSoak = TimeSpan.FromMinutes(10);

    private const double Confidence = 0.99;
    private const double WarmUpShare = 0.1;
    private const double AllowedShare = 0.1;
    private const int MaxWindows = 60;

    /// <param name="series">What was read.</param>
    /// <param name="soak">How long the load lasted.</param>
    /// <returns>The slope, null where there is none, and the check.</returns>
    /// <param name="shortest">A soak shorter than this has no slope. Default: <see cref="ShortestSoak"/>.</param>
    public static (LeakResult? Result, CheckResult Check) Judge(
        LeakSeries series, TimeSpan soak, TimeSpan? shortest = null)
    {
        var probe = series.Probe;
        var name = probe.Name + "Slope";
        var least = shortest ?? ShortestSoak;
        if (soak < least)
        {
            return (null, CheckResult.Not(
                name, CheckSubject.System,
                Text($"slopes need {least.TotalMinutes:0.##} minutes; the load lasted {soak.TotalMinutes:0.0}")));
        }

        var readings = series.Values.Count + series.Failed;
        if (series.Failed > series.Values.Count)
        {
            return (null, CheckResult.AtMost(
                name, CheckSubject.Measurement, series.Failed, readings / 2,
                $"{series.Failed} of {readings} readings of {probe.Name} failed: {series.Error}"));
        }

        var (seconds, values) = Windows(series);
        if (seconds.Count < TheilSen.MinimumPoints)
        {
            return (null, CheckResult.Not(name, CheckSubject.System,
                Text($"{series.Values.Count} readings of {probe.Name} in {soak.TotalMinutes:0.0} minutes are too few for a slope")));
        }

        var line = TheilSen.Fit(seconds, values, Confidence);
        var span = seconds[^1] - seconds[0];
        var start = line.At(seconds[0]);
        var growth = line.Slope * span;
        var limit = Math.Max(AllowedShare * Math.Abs(start), probe.Floor);
        var result = new LeakResult
        {
            Name = probe.Name,
            Unit = probe.Unit,
            Samples = series.Values.Count,
            SpanSeconds = span,
            Start = start,
            Growth = growth,
            GrowthLow = line.Low * span,
            GrowthHigh = line.High * span,
            Limit = limit,
            Leaks = growth > limit && line.Low > 0,
        };
        return (result,
            new CheckResult(
                name, CheckSubject.System, result.Leaks ? CheckOutcome.Failed : CheckOutcome.Passed, growth, limit,
                Finding(result)));
    }

    /// <summary>
    /// Whether a running soak can stop: even the lower end of the interval is above the limit. Stricter than
    /// <see cref="LeakResult.Leaks"/>, because repeated looks find leaks by chance.
    /// </summary>
    public static bool IsProven(LeakResult leak) => leak.Leaks && leak.GrowthLow > leak.Limit;

    /// <summary>The slope in words, per hour.</summary>
    public static string SlopeOf(LeakResult leak)
    {
        var (scale, unit) = leak.Unit == "bytes" ? (1e6, "MB") : (1, leak.Unit);
        return Text($"{leak.Name} grows by {leak.Growth / leak.SpanSeconds * 3600 / scale:0.#} {unit} an hour");
    }

    private static string Finding(LeakResult leak)
    {
        var (scale, unit) = leak.Unit == "bytes" ? (1e6, "MB") : (1, leak.Unit);
        return Text(
            $"{leak.Name} went from {leak.Start / scale:0.##} {unit} to {(leak.Start + leak.Growth) / scale:0.##} in {leak.SpanSeconds:0} "
            + $"s, growth {leak.Growth / scale:0.##} (99 % sure: {leak.GrowthLow / scale:0.##} to {leak.GrowthHigh / scale:0.##}), "
            + $"{leak.Limit / scale:0.##} allowed");
    }

    private static (List<double> Seconds, List<double> Values) Windows(LeakSeries series)
    {
        var (seconds, values) = (new List<double>(), new List<double>());
        if (series.Seconds.Count < 2)
        {
            return (seconds, values);
        }

        var begin = series.Seconds[0] + (WarmUpShare * (series.Seconds[^1] - series.Seconds[0]));
        var width = (series.Seconds[^1] - begin) / MaxWindows;
        var windows = Enumerable.Range(0, series.Seconds.Count)
            .Where(i => series.Seconds[i] >= begin)
            .GroupBy(i => Math.Min(MaxWindows - 1, (int)((series.Seconds[i] - begin) / width)));
        foreach (var window in windows)
        {
            seconds.Add(window.Average(i => series.Seconds[i]));
            values.Add(
                series.Probe.TakesMinimum
                    ? window.Min(i => series.Values[i]) : window.Select(i => series.Values[i]).Median());
        }

        return (seconds, values);
    }
}
