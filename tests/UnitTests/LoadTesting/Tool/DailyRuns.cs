using System.Globalization;
using LoadTesting.Core.Results;
using UnitTests.LoadTesting.Analysis.Statistics;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Daily runs of one scenario.</summary>
internal static class DailyRuns
{
    private static readonly DateTimeOffset First = new(2026, 1, 1, 23, 0, 0, TimeSpan.Zero);

    /// <summary>A run of a daily run: every daily run has a commit of its own unless it is named.</summary>
    public static RunResult Run(int daily, double perSecond, int minutes = 0, string? commit = null, int commits = 2)
    {
        var created = First.AddDays(daily).AddMinutes(minutes);
        commit ??= daily.ToString("x7", CultureInfo.InvariantCulture) + new string('0', 33);
        var scenario = Runs.Scenario(perSecond: perSecond, medianMs: 5000 / perSecond);
        return Runs.Of(scenario with
        {
            Backend = new BackendCounters { PerOperation = new Dictionary<string, double?> { ["commits"] = commits, ["fsyncs"] = null } },
        }) with
        {
            RunId = $"{created:yyyyMMdd'T'HHmmss'Z'}-{commit[..7]}",
            CreatedUtc = created,
            Commit = commit,
            Dirty = false,
        };
    }

    /// <summary>Daily runs with 3 % of noise around a level.</summary>
    public static List<RunResult> Of(int count, Func<int, double> level) =>
        [.. Noise.Correlated(new Random(7), count, 0).Select((noise, daily) => Run(daily, level(daily) * Math.Exp(0.03 * noise)))];
}
