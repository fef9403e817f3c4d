namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// Counts what a MongoDB server does between two moments, by serverStatus, and samples what its clients' operations
/// wait for, by $currentOp. It counts the whole server; nothing is reset. An account needs <c>clusterMonitor</c>; what
/// it may not read is absent, with the reason in the notes.
/// </summary>
public sealed class MongoCollector : ICollector
{
    private readonly MongoServer _server;
    private readonly CollectorCost _cost;
    private readonly WaitSampler _sampler;
    private readonly MongoCounters _before;

    private MongoCollector(MongoServer server, CollectorCost cost, WaitSampler sampler, MongoCounters before)
    {
        _server = server;
        _cost = cost;
        _sampler = sampler;
        _before = before;
    }

    /// <summary>Takes the first snapshot and begins to sample.</summary>
    /// <exception cref="BackendException">The server cannot be asked.</exception>
    public static async Task<MongoCollector> StartAsync(MongoServer server, CancellationToken cancellationToken)
    {
        var cost = new CollectorCost();
        var before = await ReadAsync(server, cost, cancellationToken);
        return new MongoCollector(server, cost, new WaitSampler(LookAsync, MongoWaits.ResourceOf), before);

        async Task<IEnumerable<(string Wait, long Sessions)>> LookAsync()
        {
            var operations = await cost.TimeAsync(
                () => server.RunAsync("admin", MongoWaits.Command, CancellationToken.None));
            return MongoWaits.WaitsOf(operations).CountBy(wait => wait).Select(wait => (wait.Key, (long)wait.Value));
        }
    }

    public IReadOnlyDictionary<string, double>? WaitSeconds => _sampler.Seconds;

    /// <summary>
    /// Ends sampling and takes the second snapshot. Of a server that went away, or was restarted meanwhile, there are
    /// only notes.
    /// </summary>
    public async Task<CollectedCounters> StopAsync(CancellationToken cancellationToken)
    {
        await _sampler.StopAsync();
        MongoCounters after;
        try
        {
            after = await ReadAsync(_server, _cost, cancellationToken);
        }
        catch (BackendException exception)
        {
            var reason = exception.Message.Split('\n')[0].TrimEnd();
            return CollectedCounters.Nothing($"Null: the server cannot be asked any more: {reason}");
        }

        var (raw, notes) = after.Since(_before);
        if (raw.Count == 0)
        {
            return CollectedCounters.Nothing([.. notes]);
        }

        var looks = _sampler.Looks();
        notes.AddRange(
        [
            "MongoDB: counts of the whole server, background work and the collector's own commands included. commits "
                + "are transactions of several documents, one for each flush; writes of one document (leases, inboxes) "
                + "are in rows and statements only. writeTransactions: not counted.",
            "waits are shares of the time that serverStatus counts for locks, flow control, cache and journal; journal "
                + "sync is that of the journal's own thread, which commits wait for.",
            .. looks is null ? [_sampler.Shares().Reason!] : Array.Empty<string>(),
            string.Create(
                CultureInfo.InvariantCulture,
                $"collector: {_sampler.Samples} samples of $currentOp within the measured part; "
                    + $"{_cost.Queries} commands, {_cost.Milliseconds:0} ms in all."),
        ]);
        var waits = CollectedCounters.SharesOf(
            MongoCounters.Waits.Select(wait => (wait.Wait, raw.GetValueOrDefault(wait.Counter))));
        foreach (var (name, value) in after.Gauges)
        {
            raw[name] = value;
        }

        raw["collector.queries"] = _cost.Queries;
        raw["collector.samples"] = _sampler.Samples;
        raw["collector.milliseconds"] = _cost.Milliseconds;
        return new CollectedCounters(raw, waits, Statements: null, [.. notes, "Statements: not read."])
        {
            Looks = looks,
            PerOperation =
            [
                ("commits", [MongoCounters.TransactionsCommitted]),
                ("rollbacks", [MongoCounters.TransactionsAborted]),
                ("rows", [.. MongoCounters.Documents]),
                ("logicalReads", [MongoCounters.PagesRequested]),
                ("walBytes", [MongoCounters.LogBytes]),
                ("walSyncs", [MongoCounters.LogSyncs]),
                ("statements", [.. MongoCounters.Statements]),
            ],
        };
    }

    public async ValueTask DisposeAsync() => await _sampler.StopAsync();

    private static async Task<MongoCounters> ReadAsync(
        MongoServer server, CollectorCost cost, CancellationToken cancellationToken) => MongoCounters.Of(
        await cost.TimeAsync(() => server.RunAsync("admin", MongoCounters.Command, cancellationToken)));
}
