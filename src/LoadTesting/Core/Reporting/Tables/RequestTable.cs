namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The columns that load tests of services publish, a row for each scenario that counts its requests.</summary>
internal static class RequestTable
{
    internal static IReadOnlyList<string> Columns { get; } =
    [
        "scenario", "first bottleneck", "how to reproduce", "requests", "RPS", "fail %", "p50 ms", "p95 ms", "max ms",
        "peak CPU of service", "peak CPU of database", "body bytes of a response",
    ];

    internal const int TextColumns = 3;

    /// <summary>The cells of a scenario, in the order of the columns.</summary>
    internal static IReadOnlyList<string> Row(ScenarioResult scenario)
    {
        var requests = scenario.Requests!;
        return
        [
            scenario.Name, BottleneckOf(scenario), scenario.Reproduce ?? Figures.Absent, Figures.Count(requests.Count),
            Figures.Rate(requests.PerSecond), FailedOf(requests), Figures.Ms(requests.Latency.P50Ms), Figures.Ms(requests.Latency.P95Ms),
            Figures.Ms(requests.Latency.MaxMs), Figures.Percent(requests.PeakServiceCpu), Figures.Percent(requests.PeakDatabaseCpu),
            Figures.Counter(requests.Count == 0 ? null : (double?)requests.ReceivedBytes / requests.Count),
        ];
    }

    /// <summary>The row as one line of a terminal.</summary>
    internal static string Line(ScenarioResult scenario)
    {
        var cells = Row(scenario);
        return $"{cells[3]}, {cells[4]}/s, {cells[5]} failed, p50 {cells[6]} ms, p95 {cells[7]} ms, max {cells[8]} ms; peak CPU: service "
            + $"{cells[9]}, database {cells[10]}; {cells[11]} bytes of body each; first bottleneck: {cells[1]}";
    }

    private static string FailedOf(RequestResult requests) =>
        Figures.Percent(requests.Count == 0 ? null : (double)requests.Failed / requests.Count);

    private static string BottleneckOf(ScenarioResult scenario) => scenario.Findings switch
    {
        null => "see the sum of the run",
        { Ranked: [var first, ..] } => $"{first.Resource} ({Figures.Percent(first.ShareOfResponseTime)})",
        _ => "none found",
    };
}
