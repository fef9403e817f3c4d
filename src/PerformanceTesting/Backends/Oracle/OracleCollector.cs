namespace PerformanceTesting.Backends.Oracle;

/// <summary>
/// Counts what an Oracle database does between two moments, over v$ views that need no licence of a pack: statistics,
/// the time model, and what foreground sessions waited for, to the microsecond. It counts the whole pluggable database;
/// nothing is reset.
/// </summary>
public sealed class OracleCollector : ICollector
{
    private const string Waits = "v$system_event.";
    private const string Processor = "v$sys_time_model.DB CPU";

    private readonly OracleServer _server;
    private readonly IReadOnlyDictionary<string, double> _before;

    private OracleCollector(OracleServer server, IReadOnlyDictionary<string, double> before)
    {
        _server = server;
        _before = before;
    }

    /// <summary>Takes the first snapshot.</summary>
    /// <exception cref="BackendException">The server cannot be asked.</exception>
    public static async Task<OracleCollector> StartAsync(OracleServer server, CancellationToken cancellationToken) =>
        new(server, (await server.ReadCountersAsync(cancellationToken)).ToDictionary());

    /// <summary>
    /// Takes the second snapshot. Of a server that went away, or was restarted meanwhile, there are only notes.
    /// </summary>
    public async Task<CollectedCounters> StopAsync(CancellationToken cancellationToken)
    {
        Dictionary<string, double> after;
        try
        {
            after = (await _server.ReadCountersAsync(cancellationToken)).ToDictionary();
        }
        catch (BackendException exception)
        {
            return CollectedCounters.Nothing($"Null: the server cannot be asked any more: {exception.Message.Split('\n')[0]}");
        }

        if (_before.Any(counter => after.GetValueOrDefault(counter.Key) < counter.Value))
        {
            return CollectedCounters.Nothing(
                "Null: the server was restarted while it was watched, and its counters were reset.");
        }

        var raw = after.ToDictionary(
            now => now.Key, now => now.Value - _before.GetValueOrDefault(now.Key), StringComparer.Ordinal);
        return new(
            raw.Where(counter => !counter.Key.StartsWith(Waits, StringComparison.Ordinal))
                .ToDictionary(StringComparer.Ordinal),
            Shares(raw),
            Statements: null,
            [
                "Oracle: counts of the whole pluggable database, the collector's two reads among them, without the "
                    + "background processes of the instance; times of v$sys_time_model lag by up to 5 s.",
                "Statements: not read.",
            ])
        {
            PerOperation =
            [
                ("commits", ["v$sysstat.user commits"]),
                ("rollbacks", ["v$sysstat.user rollbacks"]),
                ("logicalReads", ["v$sysstat.session logical reads"]),
                ("walBytes", ["v$sysstat.redo size"]),
                ("walSyncs", ["v$sysstat.redo synch writes"]),
                ("statements", ["v$sysstat.execute count"]),
            ],
        };
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Shares of the time of foreground sessions: what they waited for, and DB CPU beside it.</summary>
    private static IReadOnlyList<WaitResult> Shares(Dictionary<string, double> raw) => CollectedCounters.SharesOf(
        raw.Where(counter => counter.Key.StartsWith(Waits, StringComparison.Ordinal))
            .Select(wait => (wait.Key[Waits.Length..], wait.Value))
            .Append(("CPU", raw.GetValueOrDefault(Processor))));
}
