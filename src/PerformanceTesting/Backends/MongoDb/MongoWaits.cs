using LoadTesting.Core.Analysis.Findings;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>What clients' operations that are under way wait for, as $currentOp shows it.</summary>
internal static class MongoWaits
{
    public const string Commit = "commit";

    /// <summary>Under which name the tests' own client looks: its operations are not those of the load.</summary>
    public const string ApplicationName = "workflow-tests";

    /// <summary>
    /// Operations of clients, without those that wait by intention: the driver's streaming hello, and cursors that
    /// await data (change streams, the oplog).
    /// </summary>
    public const string Command = $$"""
        { "aggregate": 1, "cursor": { "batchSize": 1000 }, "maxTimeMS": 5000, "pipeline": [
          { "$currentOp": { "allUsers": true, "idleConnections": false, "idleSessions": false } },
          { "$match": { "active": true, "client": { "$exists": true }, "appName": { "$ne": "{{ApplicationName}}" },
                        "cursor.awaitData": { "$ne": true }, "command.hello": { "$exists": false },
                        "command.isMaster": { "$exists": false }, "command.ismaster": { "$exists": false } } },
          { "$project": { "waitingForLock": 1, "waitingForFlowControl": 1, "waitingForLatch": 1, "currentQueue": 1,
                          "command.commitTransaction": 1 } } ] }
        """;

    /// <summary>The waits of a reply, one for each operation.</summary>
    public static IReadOnlyList<string> WaitsOf(JsonElement reply) =>
        [.. reply.Find("cursor", "firstBatch") is { ValueKind: JsonValueKind.Array } batch
            ? batch.EnumerateArray().Select(WaitOf) : []];

    /// <summary>The resource of a wait; null for what is not known to wait.</summary>
    /// <remarks>
    /// The server does not show that a commit waits for the journal; one that waits for nothing else has little else to
    /// do.
    /// </remarks>
    public static string? ResourceOf(string wait) => wait switch
    {
        Commit => ResourceNames.WalFlush,
        WaitSampler.Cpu => null,
        "lock" => ResourceNames.Locks,
        _ when wait.StartsWith("latch", StringComparison.Ordinal) => ResourceNames.Locks,
        _ => ResourceNames.OtherWaits,
    };

    private static string WaitOf(JsonElement operation)
    {
        if (IsTrue(operation, "waitingForLock"))
        {
            return "lock";
        }

        if (operation.Find("waitingForLatch") is { ValueKind: JsonValueKind.Object } latch)
        {
            return $"latch:{latch.Find("captureName")?.ToString() ?? "unnamed"}";
        }

        if (operation.Find("currentQueue") is { ValueKind: JsonValueKind.Object } queue)
        {
            return $"queue:{queue.Find("name")?.ToString() ?? "unnamed"}";
        }

        return IsTrue(operation, "waitingForFlowControl") ? "flow control"
            : operation.Find("command", "commitTransaction") is not null ? Commit
            : WaitSampler.Cpu;
    }

    private static bool IsTrue(JsonElement operation, string member) =>
        operation.Find(member) is { ValueKind: JsonValueKind.True };
}
