namespace LoadTesting.Core.Reporting.Tables;

/// <summary>
/// The columns that load tests of services publish, a row for each scenario that counts its requests.
/// </summary>
internal static class RequestTable
{
    internal static IReadOnlyList<ReportColumn> Columns { get; } =
    [
        ReportColumn.Text("scenario"), ReportColumn.Text("first bottleneck"), ReportColumn.Text("how to reproduce"),
        new("requests"),
        new("RPS"), new("fail %"), new("p50", "ms"), new("p95", "ms"), new("max", "ms"), new("peak CPU of service"),
        new("peak CPU of database"), new("bytes sent, each"), new("bytes received, each"),
    ];

    /// <summary>The cells of a scenario, in the order of the columns.</summary>
    internal static IReadOnlyList<string> Row(ScenarioResult scenario)
    {
        var requests = scenario.Requests!;
        return
        [
            scenario.Name, BottleneckOf(scenario), scenario.Reproduce ?? Figures.Absent, Figures.Count(requests.Count),
            Figures.Rate(requests.PerSecond), FailedOf(requests), Figures.Ms(requests.Latency.P50Ms),
            Figures.Ms(requests.Latency.P95Ms),
            Figures.Ms(requests.Latency.MaxMs), Figures.Percent(requests.PeakServiceCpu),
            Figures.Percent(requests.PeakDatabaseCpu),
            Figures.Counter(Each(requests.SentBytes, requests)), Figures.Counter(Each(ReceivedOf(requests), requests)),
        ];
    }

    /// <summary>The row as one line of a terminal.</summary>
    internal static string Line(ScenarioResult scenario)
    {
        var cells = Row(scenario);
        return $"{cells[3]}, {cells[4]}/s, {cells[5]} failed, "
            + $"{Figures.LatencyText(scenario.Requests!.Latency)}; peak CPU: service "
            + $"{cells[9]}, database {cells[10]};{BytesOf(scenario.Requests)} first bottleneck: {cells[1]}";
    }

    /// <summary>Per request that did not fail: only their bytes are counted.</summary>
    private static double? Each(long? bytes, RequestResult requests) =>
        requests.Count == requests.Failed ? null : (double?)bytes / (requests.Count - requests.Failed);

    private static string BytesOf(RequestResult requests) =>
        (Each(requests.SentBytes, requests), Each(ReceivedOf(requests), requests)) switch
        {
            ({ } sent,
                { } received) => $" bytes each, heads included: {Figures.Counter(sent)} sent, "
                    + $"{Figures.Counter(received)} received;",
            (null, { } received) => $" bytes each, heads included: {Figures.Counter(received)} received;",
            _ => "",
        };

    // In results from before sent bytes were counted, 0 means not counted.
    private static long? ReceivedOf(RequestResult requests) =>
        requests is { SentBytes: null, ReceivedBytes: 0 } ? null : requests.ReceivedBytes;

    private static string FailedOf(RequestResult requests) =>
        Figures.Percent(requests.Count == 0 ? null : (double)requests.Failed / requests.Count);

    private static string BottleneckOf(ScenarioResult scenario) => scenario.Findings switch
    {
        null => "see the sum of the run",
        { Ranked: [var first, ..] } => $"{first.Resource} ({FindingText.ShareAndConfidence(first)})",
        _ => "no resource stands out",
    };
}
