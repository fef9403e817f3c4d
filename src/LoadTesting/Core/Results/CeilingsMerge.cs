namespace LoadTesting.Core.Results;

/// <summary>The ceilings of several runs: the median of each.</summary>
internal static class CeilingsMerge
{
    public static IReadOnlyDictionary<string, CeilingsResult> ByProfile(IReadOnlyList<RunResult> runs) =>
        runs.SelectMany(run => run.CeilingsByProfile).GroupBy(entry => entry.Key)
            .ToDictionary(group => group.Key, group => Median([.. group.Select(entry => entry.Value)]));

    private static CeilingsResult Median(IReadOnlyList<CeilingsResult> parts)
    {
        if (parts.Count == 1)
        {
            return parts[0];
        }

        var clients = parts.Select(part => part.ConcurrentClients).Distinct().ToList();
        return new CeilingsResult
        {
            FsyncPerSecond = Of(part => part.FsyncPerSecond),
            CommitsPerSecond = Of(part => part.CommitsPerSecond),
            ConcurrentCommitsPerSecond = clients.Count == 1 ? Of(part => part.ConcurrentCommitsPerSecond) : null,
            ConcurrentClients = clients.Count == 1 ? clients[0] : null,
            RoundTripMs = Of(part => part.RoundTripMs),
            EmptyHttpPerSecond = Of(part => part.EmptyHttpPerSecond),
            TransportEventsPerSecond = Of(part => part.TransportEventsPerSecond),
            TransportMs = Of(part => part.TransportMs),
            Notes = [.. parts.SelectMany(part => part.Notes).Distinct(),
                "Merged: the median of the runs that measured it."],
        };

        double? Of(Func<CeilingsResult, double?> member) =>
            parts.Select(member).OfType<double>().ToList() is { Count: > 0 } measured ? measured.Median() : null;
    }
}
