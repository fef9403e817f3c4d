using System.Collections.Concurrent;
using System.Collections.Immutable;
using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>The documents of a collection by their ids, and the rule they keep to.</summary>
public sealed record StubContent(ImmutableSortedDictionary<BsonValue, BsonDocument> Documents, BsonDocument? Validator, ImmutableList<BsonDocument> Indexes)
{
    public static StubContent Empty { get; } = new(ImmutableSortedDictionary<BsonValue, BsonDocument>.Empty, null, []);
}

/// <summary>
/// A server in this process: every client that names its address shares its databases. What it holds is replaced and never changed, so that a transaction's
/// snapshot is a reference. Thread-safe.
/// </summary>
public sealed partial class StubServer(string address)
{
    private static readonly ConcurrentDictionary<string, StubServer> Servers = new(StringComparer.Ordinal);

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Space, BsonValue Id), StubTransaction> _intents = [];
    private readonly Dictionary<BsonDocument, StubTransaction> _open = [];
    private ImmutableDictionary<string, StubContent> _content = ImmutableDictionary<string, StubContent>.Empty;

    /// <summary>Every command received, in order.</summary>
    public ConcurrentQueue<StubCall> Calls { get; } = new();

    /// <summary>False: a server that stands alone, which has no transactions.</summary>
    public bool IsReplicaSet { get; set; } = true;

    public int MaxWireVersion { get; set; } = 21;

    /// <summary>Whoever comes with another one is refused; null asks nobody.</summary>
    public string? Password { get; set; }

    /// <summary>The server's clock.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>Runs before a command does: throws or waits where a test wants a failure.</summary>
    public Func<StubCall, CancellationToken, Task> Before { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Runs when a command has had its effect and the answer has not left yet.</summary>
    public Func<StubCall, CancellationToken, Task> After { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Answers to commands that the server does not know by itself, by name.</summary>
    public ConcurrentDictionary<string, Func<BsonDocument, BsonDocument>> Answers { get; } = new(StringComparer.Ordinal);

    public static StubServer At(string address) => Servers.GetOrAdd(address, a => new(a));

    public async Task ConnectAsync(MongoClientSettings settings, CancellationToken cancellationToken)
    {
        var call = new StubCall("connect", "admin");
        await Before(call, cancellationToken);
        if (Password is not null && settings.Login.Password != Password)
        {
            throw new MongoAuthenticationException($"Unable to authenticate user '{settings.Login.User}' on {address} using sasl protocol mechanism SCRAM-SHA-256.");
        }
    }

    public async Task<T> RunAsync<T>(MongoClientSettings settings, StubCall call, Func<Task<T>> work, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await ConnectAsync(settings, cancellationToken);
        return await RunAsync(call, work, cancellationToken);
    }

    public async Task<T> RunAsync<T>(StubCall call, Func<Task<T>> work, CancellationToken cancellationToken)
    {
        // A real call leaves the caller's thread.
        await Task.Yield();
        Calls.Enqueue(call);
        await Before(call, cancellationToken);
        var result = await work();
        await After(call, cancellationToken);
        return result;
    }

    public BsonDocument Command(string database, BsonDocument command)
    {
        var name = command.GetElement(0).Name;
        var ok = new BsonDocument("ok", 1);
        switch (name)
        {
            case "hello":
                ok.Add("isWritablePrimary", true).Add("maxWireVersion", MaxWireVersion).Add("maxBsonObjectSize", 16 << 20).Add("localTime", Time.GetUtcNow().UtcDateTime);
                return IsReplicaSet ? ok.Add("setName", "rs0") : ok;
            case "ping":
                return ok;
            case "create":
                Create($"{database}.{command[0].AsString}", command.TryGetValue("validator", out var validator) ? validator.AsBsonDocument : null);
                return ok;
            case "createIndexes":
                Index($"{database}.{command[0].AsString}", command["indexes"].AsBsonArray.Select(i => i.AsBsonDocument));
                return ok;
            case "dropDatabase":
                lock (_gate)
                {
                    _content = _content.RemoveRange(_content.Keys.Where(k => k.StartsWith(database + ".", StringComparison.Ordinal)));
                }

                return ok;
            case "killSessions":
                foreach (var session in command[0].AsBsonArray)
                {
                    Kill(session.AsBsonDocument);
                }

                return ok;
            default:
                return Answers.TryGetValue(name, out var answer) ? answer(command) : throw StubErrors.Command(59, "CommandNotFound", $"no such command: '{name}'");
        }
    }

    /// <summary>What a reader outside transactions sees now.</summary>
    public StubContent Read(string space)
    {
        lock (_gate)
        {
            return _content.GetValueOrDefault(space) ?? StubContent.Empty;
        }
    }

    /// <summary>The names of a database's collections and their indexes.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<BsonDocument>> Collections(string database)
    {
        lock (_gate)
        {
            return _content.Where(c => c.Key.StartsWith(database + ".", StringComparison.Ordinal))
                .ToDictionary(c => c.Key[(database.Length + 1)..], c => (IReadOnlyList<BsonDocument>)c.Value.Indexes);
        }
    }

    private void Create(string space, BsonDocument? validator)
    {
        lock (_gate)
        {
            if (_content.ContainsKey(space))
            {
                throw StubErrors.Command(48, "NamespaceExists", $"Collection {space} already exists.");
            }

            _content = _content.Add(space, StubContent.Empty with { Validator = validator });
        }
    }

    private void Index(string space, IEnumerable<BsonDocument> indexes)
    {
        lock (_gate)
        {
            var content = _content.GetValueOrDefault(space) ?? StubContent.Empty;
            foreach (var index in indexes.Where(i => content.Indexes.All(known => !known["name"].Equals(i["name"]))))
            {
                content = index.Contains("unique")
                    ? throw new NotSupportedException($"The stub keeps only _id unique, and not {index}.")
                    : content with { Indexes = content.Indexes.Add(index) };
            }

            _content = _content.SetItem(space, content);
        }
    }
}
