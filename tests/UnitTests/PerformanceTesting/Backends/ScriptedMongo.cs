using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Notifications;

namespace UnitTests.PerformanceTesting.Backends;

/// <summary>
/// A driver whose server answers by a script: a reply for each command, as JSON. What is not in it, the server does not
/// know.
/// </summary>
internal sealed class ScriptedMongo : IMongoDriver, IMongoLink
{
    private readonly ConcurrentQueue<(string Name, string Database, JsonElement Command)> _calls = new();

    /// <summary>By the command's name.</summary>
    public Dictionary<string, Func<string>> Answers { get; } = new(StringComparer.Ordinal)
    {
        ["buildInfo"] = () => """{ "version": "7.0.14", "ok": 1 }""",
        ["hello"] = () => """{ "isWritablePrimary": true, "setName": "rs0", "primary": "127.0.0.1:27017", "ok": 1 }""",
        ["serverStatus"] = () => Replies.Of("serverStatus-7.0"),
        ["replSetGetConfig"] = () =>
            """{ "config": { "_id": "rs0", "members": [ { "_id": 0 } ], "writeConcernMajorityJournalDefault": true }, "ok": 1 }""",
        ["getDefaultRWConcern"] = () =>
            """{ "defaultWriteConcern": { "w": "majority", "wtimeout": 0 }, "defaultWriteConcernSource": "implicit", "defaultReadConcern": { "level": "local" }, "ok": 1 }""",
        ["getCmdLineOpts"] = () => """{ "parsed": { "replication": { "replSet": "rs0" } }, "ok": 1 }""",
        ["getParameter"] =
            () => """{ "featureCompatibilityVersion": { "version": "7.0" }, "journalCommitInterval": 100, "ok": 1 }""",
        ["aggregate"] = () => """{ "cursor": { "id": 0, "firstBatch": [] }, "ok": 1 }""",
        ["dropDatabase"] = () => """{ "ok": 1 }""",
    };

    public ConcurrentQueue<string> Opened { get; } = new();

    public int Disposals { get; private set; }

    public IReadOnlyList<(string Name, string Database, JsonElement Command)> Calls => [.. _calls];

    public IEnumerable<(string Name, string Database, JsonElement Command)> CallsOf(string name) =>
        _calls.Where(call => call.Name == name);

    public IMongoLink Open(string connectionString)
    {
        Opened.Enqueue(connectionString);
        return this;
    }

    public Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken)
    {
        var parsed = JsonElement.Parse(command);
        var name = parsed.EnumerateObject().First().Name;
        _calls.Enqueue((name, database, parsed));
        return Answers.TryGetValue(name, out var answer)
            ? Task.FromResult(JsonElement.Parse(answer()))
            : throw new MongoRefusalException($"no such command: '{name}'", 59);
    }

    public IWorkflowStore CreateStore(string connectionString) => new InMemoryStore();

    public INotifier CreateNotifier(string connectionString, int lanes) => new NoNotifier();

    public void Dispose() => Disposals++;
}
