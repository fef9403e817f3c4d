namespace LoadTesting.Core.Analysis;

/// <summary>Throughput as a share of the ceilings of disk, database, HTTP server and transport.</summary>
internal static class CeilingShares
{
    private static readonly (string Name, string Header, Func<CeilingsResult, double?> Ceiling,
        Func<ScenarioResult, bool> Limits)[] Known =
    [
        ("fsyncPerSecond", "of fsyncs", static ceilings => ceilings.FsyncPerSecond, static _ => true),
        ("commitsPerSecond", "of commits, 1 client", static ceilings => ceilings.CommitsPerSecond, static _ => true),
        ("concurrentCommitsPerSecond", "of commits, many", static ceilings => ceilings.ConcurrentCommitsPerSecond,
            static _ => true),
        ("emptyHttpPerSecond", "of empty HTTP", static ceilings => ceilings.EmptyHttpPerSecond,
            static scenario => scenario.Hosting == HostingKind.Http),
        ("transportEventsPerSecond", "of the transport", static ceilings => ceilings.TransportEventsPerSecond,
            static scenario => scenario.Transport is not null),
    ];

    /// <summary>The throughput over each ceiling that was measured and that such a scenario can reach.</summary>
    public static Dictionary<string, double> Of(
        ScenarioResult scenario, IReadOnlyDictionary<string, CeilingsResult> byProfile) =>
        !byProfile.TryGetValue(scenario.Profile, out var ceilings)
            ? []
            : Known.Where(share => share.Limits(scenario) && share.Ceiling(ceilings) is > 0)
                .ToDictionary(
                    share => share.Name, share => scenario.ThroughputPerSecond / share.Ceiling(ceilings)!.Value);

    /// <summary>
    /// Of which ceilings any of these scenarios has a share: the member's name, and the header of its column.
    /// </summary>
    public static IReadOnlyList<(string Name, string Header)> Columns(IEnumerable<ScenarioResult> scenarios) =>
        [.. Known.Where(share => scenarios.Any(scenario => scenario.CeilingShares.ContainsKey(share.Name)))
            .Select(share => (share.Name, share.Header))];

    /// <summary>A scenario's share in the words of a table.</summary>
    public static string Cell(ScenarioResult scenario, string name) =>
        Figures.Percent(scenario.CeilingShares.TryGetValue(name, out var share) ? share : null);
}
