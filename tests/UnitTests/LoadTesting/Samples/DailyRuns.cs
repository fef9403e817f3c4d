using UnitTests.LoadTesting.Analysis.Statistics;

namespace UnitTests.LoadTesting.Samples;

/// <summary>Daily runs of one scenario.</summary>
internal static class DailyRuns
{
    private static readonly DateTimeOffset First = new(2026, 1, 1, 23, 0, 0, TimeSpan.Zero);

    /// <summary>A repetition of a daily run. Each daily run has its own commit unless one is given.</summary>
    public static RunResult Run(int daily, double perSecond, int minutes = 0, string? commit = null, int commits = 2)
    {
        var created = First.AddDays(daily).AddMinutes(minutes);
        commit ??= daily.ToString("x7", CultureInfo.InvariantCulture) + new string('0', 33);
        var scenario = Runs.Scenario(perSecond: perSecond, medianMs: 5000 / perSecond);
        return Runs.Of(scenario with
        {
            Backend = new BackendCounters
                { PerOperation = new Dictionary<string, double?> { ["commits"] = commits, ["fsyncs"] = null } },
        }) with
        {
            RunId = $"{created:yyyyMMdd'T'HHmmss'Z'}-{commit[..7]}",
            CreatedUtc = created,
            Commit = commit,
            Dirty = false,
            Capacity = [],
        };
    }

    public static RunResult Failed(int daily, double perSecond)
    {
        var run = Run(daily, perSecond);
        return run
            with { Scenarios = [run.Scenarios[0] with { Verdict = new(VerdictOutcome.Failed, ["stuck is 3"]) }] };
    }

    /// <summary>The result of a search: a limit with a bracket of 5 % to either side, or no comfortable load.</summary>
    public static CapacityResult Capacity(double? limit, string profile = "postgres") => new()
    {
        Name = $"{profile}-signal-capacity",
        Profile = profile,
        Hosting = HostingKind.InProcess,
        Outcome = limit is null ? CapacityOutcome.NothingComfortable : CapacityOutcome.Found,
        Sentence = limit is null ? "No capacity: the lowest load step, 100/s, was under pressure already." : "",
        LimitPerSecond = limit,
        Bracket = limit is { } found ? new(found * 0.95, found * 1.05) : null,
        Open = new LadderResult
            { Criteria = ["p95 is at most 2 times that of the lowest"], Steps = [], FirstPressure = limit ?? 100 },
    };

    /// <summary>Daily runs with 3 % of noise around a level.</summary>
    public static List<RunResult> Of(int count, Func<int, double> level) =>
        [.. Noise.Correlated(new Random(7), count, 0)
            .Select((noise, daily) => Run(daily, level(daily) * Math.Exp(0.03 * noise)))];
}
