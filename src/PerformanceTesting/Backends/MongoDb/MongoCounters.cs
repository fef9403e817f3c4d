namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// The cumulative counters of serverStatus at one moment. What a version does not have is absent, not 0: sections and
/// names differ between versions, and an account without clusterMonitor is shown less.
/// </summary>
/// <param name="Values">
/// Path in serverStatus to value, e.g. <c>serverStatus.wiredTiger.log.log bytes written</c>.
/// </param>
/// <param name="Gauges">States instead of counts: queues and tickets.</param>
/// <param name="Life">Process id, and milliseconds since its start.</param>
internal sealed record MongoCounters(
    IReadOnlyDictionary<string, double> Values, IReadOnlyDictionary<string, double> Gauges,
    (string Process, double UptimeMs) Life)
{
    /// <summary>What is asked for; the parts left out are large and not read.</summary>
    public const string Command = """{ "serverStatus": 1, "repl": 0, "sharding": 0, "tcmalloc": 0 }""";

    public const string TransactionsCommitted = Prefix + "transactions.totalCommitted";
    public const string TransactionsAborted = Prefix + "transactions.totalAborted";
    public const string PagesRequested = Prefix + "wiredTiger.cache.pages requested from the cache";
    public const string LogBytes = Prefix + "wiredTiger.log.log bytes written";
    public const string LogSyncs = Prefix + "wiredTiger.log.log sync operations";
    public const string LockMicroseconds = Prefix + "locks.timeAcquiringMicros";

    private const string Prefix = "serverStatus.";

    /// <summary>What is read, each a path of names.</summary>
    private static readonly string[][] Paths =
    [
        .. Each(["opcounters"], "insert", "query", "update", "delete", "getmore", "command"),
        .. new[] { "reads", "writes", "commands", "transactions" }.SelectMany(
            kind => Each(["opLatencies", kind], "ops", "latency")),
        .. Each(["metrics", "document"], "inserted", "updated", "deleted", "returned"),
        .. Each(["metrics", "queryExecutor"], "scanned", "scannedObjects"),
        .. Each(["metrics", "operation"], "writeConflicts", "scanAndOrder"),
        .. Each(["metrics", "getLastError", "wtime"], "num", "totalMillis"),
        .. Each(["transactions"], "totalStarted", "totalCommitted", "totalAborted", "retriedCommandsCount"),
        .. Each(["flowControl"], "timeAcquiringMicros", "isLaggedCount"),
        .. Each(["network"], "bytesIn", "bytesOut", "numRequests"),
        .. Each(["wiredTiger", "transaction"], "transactions committed", "transactions rolled back",
            "transaction checkpoints"),
        .. Each(
            ["wiredTiger", "cache"],
            "pages requested from the cache",
            "bytes read into cache",
            "bytes written from cache",
            "application threads page read from disk to cache time (usecs)",
            "application threads page write from cache to disk time (usecs)"),
        .. Each(
            ["wiredTiger", "log"], "log bytes written", "log sync operations", "log sync time duration (usecs)",
            "log write operations"),
        .. Each(["wiredTiger", "thread-yield"], "application thread time waiting for cache (usecs)"),
    ];

    /// <summary>Statements of clients, one name each.</summary>
    public static IReadOnlyList<string> Statements { get; } =
    [
        .. new[] { "insert", "query", "update", "delete", "getmore", "command" }.Select(
            name => $"{Prefix}opcounters.{name}"),
    ];

    /// <summary>Documents changed, one name each.</summary>
    public static IReadOnlyList<string> Documents { get; } =
    [
        .. new[] { "inserted", "updated", "deleted" }.Select(name => $"{Prefix}metrics.document.{name}"),
    ];

    /// <summary>Counters in microseconds of waiting, with what was waited for.</summary>
    public static IReadOnlyList<(string Counter, string Wait)> Waits { get; } =
    [
        (LockMicroseconds, "lock"),
        (Prefix + "flowControl.timeAcquiringMicros", "flow control"),
        (Prefix + "wiredTiger.log.log sync time duration (usecs)", "journal sync"),
        (Prefix + "wiredTiger.cache.application threads page read from disk to cache time (usecs)", "cache read"),
        (Prefix + "wiredTiger.cache.application threads page write from cache to disk time (usecs)", "cache write"),
        (Prefix + "wiredTiger.thread-yield.application thread time waiting for cache (usecs)", "cache full"),
    ];

    /// <summary>Picks the counters out of a reply.</summary>
    public static MongoCounters Of(JsonElement status)
    {
        var values = Paths.Select(path => (Name: Prefix + string.Join('.', path), Value: Number(status.Find(path))))

                .Where(counter => counter.Value is not null)
                .ToDictionary(counter => counter.Name, counter => counter.Value!.Value, StringComparer.Ordinal);
        if (status.Find("locks") is { ValueKind: JsonValueKind.Object } locks)
        {
            // By resource and mode, present where there was a wait: none of them is a sum of 0.
            values[LockMicroseconds] = locks.EnumerateObject()
                .Select(resource => resource.Value.Find("timeAcquiringMicros")).OfType<JsonElement>()
                .SelectMany(times => times.EnumerateObject()).Sum(mode => Number(mode.Value) ?? 0);
        }

        var gauges = new Dictionary<string, double>(StringComparer.Ordinal);
        Put("globalLock.currentQueue", "total", "globalLock", "currentQueue");

        // Version 8 moved the tickets; from 7 on their number follows the load, so that none being free is no overload
        // by itself.
        var tickets = status.Find("queues", "execution") is null
            ? new[] { "wiredTiger", "concurrentTransactions" }
            : ["queues", "execution"];
        foreach (var kind in new[] { "read", "write" })
        {
            Put($"tickets.{kind}", "out", [.. tickets, kind]);
            Put($"tickets.{kind}", "available", [.. tickets, kind]);
        }

        return new(values, gauges, (status.Find("pid")?.ToString() ?? "", Number(status.Find("uptimeMillis")) ?? 0));

        void Put(string name, string member, params string[] path)
        {
            if (Number(status.Find([.. path, member])) is { } number)
            {
                gauges[$"{Prefix}{name}.{member}"] = number;
            }
        }
    }

    /// <summary>
    /// What was counted since an earlier moment, and what could not be: a restart begins everything anew, and a counter
    /// that shrank was reset.
    /// </summary>
    public (Dictionary<string, double> Deltas, List<string> Notes) Since(MongoCounters before)
    {
        if (before.Life.Process != Life.Process || Life.UptimeMs < before.Life.UptimeMs)
        {
            return ([], ["Null: the server was restarted while it was watched, and its counters were reset."]);
        }

        var shared = Values.Keys.Where(before.Values.ContainsKey).ToList();
        var absent = Paths
            .Select(path => Prefix + string.Join('.', path))
            .Append(LockMicroseconds)
            .Except(shared)
            .Order(StringComparer.Ordinal)
            .ToList();
        var reset = shared.Where(name => Values[name] < before.Values[name]).ToList();
        return (
            shared.Except(reset)
                .ToDictionary(name => name, name => Values[name] - before.Values[name], StringComparer.Ordinal),
            [
                .. absent.Count == 0
                    ? [] : new[] { $"Null: not in this server's serverStatus: {string.Join(", ", absent)}." },
                .. reset.Count == 0
                    ? [] : new[] { $"Null: reset while they were watched: {string.Join(", ", reset)}." },
            ]);
    }

    private static IEnumerable<string[]> Each(string[] path, params string[] names) =>
        names.Select(name => (string[])[.. path, name]);

    /// <summary>Also in the form of canonical Extended JSON, <c>{ "$numberLong": "1" }</c>.</summary>
    private static double? Number(JsonElement? value) => value switch
    {
        { ValueKind: JsonValueKind.Number } number => number.GetDouble(),
        { ValueKind: JsonValueKind.Object } wrapped when wrapped.Find("$numberLong") is { } text =>
            double.Parse(text.GetString()!, System.Globalization.CultureInfo.InvariantCulture),
        _ => null,
    };
}
