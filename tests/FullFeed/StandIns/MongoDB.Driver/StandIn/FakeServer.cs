using System.Collections.Immutable;
using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>The documents of a collection by their ids, and the rule they keep to.</summary>
public sealed record FakeContent(
    ImmutableSortedDictionary<BsonValue, BsonDocument> Documents, BsonDocument? Validator, ImmutableList<BsonDocument> Indexes)
{
    public static FakeContent Empty { get; } = new(ImmutableSortedDictionary<BsonValue, BsonDocument>.Empty, null, []);
}

/// <summary>
/// A server in this process: every client that names its address shares its databases. Its documents are replaced and never changed, so
/// that a transaction's snapshot is a reference. The first transaction to write a document has it until it ends; a second one, or one whose
/// snapshot is older than what is committed, is aborted with a write conflict; a write outside transactions waits. Thread-safe.
/// </summary>
public sealed class FakeServer(string address)
{
    /// <summary>The limit of a real one is 60 s.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(1);

    private static readonly ConcurrentDictionary<string, FakeServer> Servers = new(StringComparer.Ordinal);

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Space, BsonValue Id), FakeTransaction> _intents = [];
    private readonly Dictionary<BsonDocument, FakeTransaction> _open = [];
    private readonly List<(string Space, BsonDocument Change)> _changes = [];
    private ImmutableDictionary<string, FakeContent> _content = ImmutableDictionary<string, FakeContent>.Empty;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Every command received, in order.</summary>
    public ConcurrentQueue<FakeCall> Calls { get; } = new();

    /// <summary>False: a server that stands alone, which has no transactions.</summary>
    public bool IsReplicaSet { get; set; } = true;

    public int MaxWireVersion { get; set; } = 21;

    /// <summary>Whoever comes with another one is refused; null asks nobody.</summary>
    public string? Password { get; set; }

    /// <summary>The server's clock.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>Runs before a command does: throws or waits where a test wants a failure.</summary>
    public Func<FakeCall, CancellationToken, Task> Before { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Runs when a command has had its effect and the answer has not left yet.</summary>
    public Func<FakeCall, CancellationToken, Task> After { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Answers to commands that the server does not know by itself, by name.</summary>
    public ConcurrentDictionary<string, Func<BsonDocument, BsonDocument>> Answers { get; } = new(StringComparer.Ordinal);

    public static FakeServer At(string address) => Servers.GetOrAdd(address, a => new(a));

    public async Task ConnectAsync(MongoClientSettings settings, CancellationToken cancellationToken)
    {
        var call = new FakeCall("connect", "admin");
        await Before(call, cancellationToken);
        if (Password is not null && settings.Login.Password != Password)
        {
            throw new MongoAuthenticationException(
                connectionId: null, $"Unable to authenticate user '{settings.Login.User}' on {address} using sasl protocol mechanism SCRAM-SHA-256.");
        }
    }

    public async Task<T> RunAsync<T>(MongoClientSettings settings, FakeCall call, Func<Task<T>> work, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await ConnectAsync(settings, cancellationToken);
        return await RunAsync(call, work, cancellationToken);
    }

    public async Task<T> RunAsync<T>(FakeCall call, Func<Task<T>> work, CancellationToken cancellationToken)
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
                ok.Add("isWritablePrimary", true).Add("maxWireVersion", MaxWireVersion).Add("maxBsonObjectSize", 16 << 20)
                    .Add("localTime", Time.GetUtcNow().UtcDateTime);
                return IsReplicaSet ? ok.Add("setName", "rs0") : ok;
            case "create":
                Create($"{database}.{command[0].AsString}",
                    command.TryGetValue("validator", out var validator) ? validator.AsBsonDocument : null);
                return ok;
            case "drop":
                Drop($"{database}.{command[0].AsString}");
                return ok;
            case "collMod":
                Modify($"{database}.{command[0].AsString}", command["validator"].AsBsonDocument);
                return ok;
            case "createIndexes":
                Index($"{database}.{command[0].AsString}", command["indexes"].AsBsonArray.Select(i => i.AsBsonDocument));
                return ok;
            case "killSessions":
                foreach (var session in command[0].AsBsonArray)
                {
                    Kill(session.AsBsonDocument);
                }

                return ok;
            default:
                return Answers.TryGetValue(name, out var answer)
                    ? answer(command)
                    : throw FakeErrors.Command(59, "CommandNotFound", $"no such command: '{name}'");
        }
    }

    /// <summary>What a reader outside transactions sees now.</summary>
    public FakeContent Read(string space)
    {
        lock (_gate)
        {
            return _content.GetValueOrDefault(space) ?? FakeContent.Empty;
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

    private void Modify(string space, BsonDocument validator)
    {
        lock (_gate)
        {
            _content = _content.TryGetValue(space, out var content)
                ? _content.SetItem(space, content with { Validator = validator })
                : throw FakeErrors.Command(26, "NamespaceNotFound", $"ns does not exist: '{space}'");
        }
    }

    private void Drop(string space)
    {
        lock (_gate)
        {
            _content = _content.ContainsKey(space)
                ? _content.Remove(space)
                : throw FakeErrors.Command(26, "NamespaceNotFound", "ns not found");
        }
    }

    private void Create(string space, BsonDocument? validator)
    {
        lock (_gate)
        {
            if (_content.ContainsKey(space))
            {
                throw FakeErrors.Command(48, "NamespaceExists", $"Collection {space} already exists.");
            }

            _content = _content.Add(space, FakeContent.Empty with { Validator = validator });
        }
    }

    private void Index(string space, IEnumerable<BsonDocument> indexes)
    {
        lock (_gate)
        {
            var content = _content.GetValueOrDefault(space) ?? FakeContent.Empty;
            foreach (var index in indexes.Where(i => content.Indexes.All(known => !known["name"].Equals(i["name"]))))
            {
                content = index.Contains("unique")
                    ? throw new NotSupportedException($"The stand-in keeps only _id unique, and not {index}.")
                    : content with { Indexes = content.Indexes.Add(index) };
            }

            _content = _content.SetItem(space, content);
        }
    }

    public FakeTransaction Begin(BsonDocument session)
    {
        if (!IsReplicaSet)
        {
            throw FakeErrors.Command(20, "IllegalOperation", "Transaction numbers are only allowed on a replica set member or mongos");
        }

        lock (_gate)
        {
            // The number of a session's next transaction ends the one before.
            Kill(session);
            return _open[session] = new(session, _content);
        }
    }

    public void Commit(FakeTransaction transaction)
    {
        lock (_gate)
        {
            if (transaction.IsOver)
            {
                throw FakeErrors.NoSuchTransaction();
            }

            foreach (var (space, id) in transaction.Written)
            {
                Put(space, id, transaction.Content[space].Documents.GetValueOrDefault(id));
            }

            End(transaction);
        }
    }

    public void Abort(FakeTransaction transaction)
    {
        lock (_gate)
        {
            End(transaction);
        }
    }

    /// <summary>Nobody may ever end this transaction: the server does, a second later and not a minute.</summary>
    public void Leave(FakeTransaction transaction) => _ = Task.Delay(Lifetime).ContinueWith(_ => Abort(transaction), TaskScheduler.Default);

    /// <summary>Writes one document of a transaction.</summary>
    public void Write(FakeTransaction transaction, string space, BsonValue id, BsonDocument? document)
    {
        lock (_gate)
        {
            if (transaction.IsOver)
            {
                throw FakeErrors.NoSuchTransaction();
            }

            var content = transaction.Content.GetValueOrDefault(space)
                ?? throw FakeErrors.Command(
                    263, "OperationNotSupportedInTransaction", $"Cannot create namespace {space} in multi-document transaction.");
            var committed = _content[space].Documents.GetValueOrDefault(id);
            var seen = transaction.Snapshot[space].Documents.GetValueOrDefault(id);
            if (_intents.GetValueOrDefault((space, id), transaction) != transaction || !ReferenceEquals(committed, seen))
            {
                throw FakeErrors.WriteConflict();
            }

            _intents[(space, id)] = transaction;
            transaction.Written.Add((space, id));
            transaction.Content = transaction.Content.SetItem(space, With(content, id, document));
        }
    }

    /// <summary>Writes one document outside transactions, unless a transaction has it: that one's end is returned then.</summary>
    /// <param name="space">The collection.</param>
    /// <param name="change">Says of the collection as it is which document becomes what; null when there is nothing to write.</param>
    public Task? TryWrite(string space, Func<FakeContent, (BsonValue Id, BsonDocument? Document)?> change)
    {
        lock (_gate)
        {
            if (change(_content.GetValueOrDefault(space) ?? FakeContent.Empty) is not (var id, var document))
            {
                return null;
            }

            if (_intents.TryGetValue((space, id), out var other))
            {
                return other.Ended;
            }

            Put(space, id, document);
            return null;
        }
    }

    private static FakeContent With(FakeContent content, BsonValue id, BsonDocument? document) =>
        content with { Documents = document is null ? content.Documents.Remove(id) : content.Documents.SetItem(id, document) };

    private void Put(string space, BsonValue id, BsonDocument? document)
    {
        var content = _content.GetValueOrDefault(space) ?? FakeContent.Empty;
        _content = _content.SetItem(space, With(content, id, document));
        Tell(space, id, content.Documents.GetValueOrDefault(id), document);
    }

    private void Kill(BsonDocument session)
    {
        lock (_gate)
        {
            if (_open.TryGetValue(session, out var transaction))
            {
                End(transaction);
            }
        }
    }

    private void End(FakeTransaction transaction)
    {
        if (transaction.IsOver)
        {
            // What it wrote may be another one's by now.
            return;
        }

        foreach (var written in transaction.Written)
        {
            _intents.Remove(written);
        }

        if (_open.GetValueOrDefault(transaction.Session) == transaction)
        {
            _open.Remove(transaction.Session);
        }

        transaction.End();
    }

    /// <summary>Changes before this one are forgotten.</summary>
    public int OldestChange { get; set; }

    /// <summary>The place behind the last change.</summary>
    public int ChangesEnd
    {
        get
        {
            lock (_gate)
            {
                return _changes.Count;
            }
        }
    }

    /// <summary>
    /// The changes of a collection from a place on, the place behind them, and the end of the wait for the next one of any.
    /// </summary>
    public (IReadOnlyList<BsonDocument> Changes, int End, Task Next) ReadChanges(string space, int from)
    {
        lock (_gate)
        {
            return from < OldestChange
                ? throw FakeErrors.Command(286, "ChangeStreamHistoryLost", "Resume of change stream was not possible, as the resume point "
                    + "may no longer be in the oplog.", "NonResumableChangeStreamError")
                : ([.. _changes.Skip(from).Where(c => c.Space == space).Select(c => c.Change)], _changes.Count, _changed.Task);
        }
    }

    public static BsonDocument PlaceOf(int end) => new("_data", end.ToString("x8", CultureInfo.InvariantCulture));

    public static int PlaceFrom(BsonDocument token) =>
        int.Parse(token["_data"].AsString, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    /// <summary>Called for every document as it is committed.</summary>
    private void Tell(string space, BsonValue id, BsonDocument? before, BsonDocument? after)
    {
        var change = new BsonDocument
        {
            { "_id", PlaceOf(_changes.Count + 1) }, { "operationType", before is null ? "insert" : after is null ? "delete" : "replace" },
            { "documentKey", new BsonDocument("_id", id) },
        };
        _changes.Add((space, after is null ? change : change.Add("fullDocument", after)));
        var changed = _changed;
        _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        changed.SetResult();
    }
}

/// <summary>An open transaction: what it saw when it began, what it sees now, and what it has written.</summary>
public sealed class FakeTransaction(BsonDocument session, ImmutableDictionary<string, FakeContent> snapshot)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public BsonDocument Session => session;

    public ImmutableDictionary<string, FakeContent> Snapshot { get; } = snapshot;

    public ImmutableDictionary<string, FakeContent> Content { get; set; } = snapshot;

    public HashSet<(string Space, BsonValue Id)> Written { get; } = [];

    public bool IsOver => _ended.Task.IsCompleted;

    /// <summary>Completes when it was committed or aborted.</summary>
    public Task Ended => _ended.Task;

    public void End() => _ended.TrySetResult();
}

/// <summary>A command as the server received it, before it ran.</summary>
public sealed record FakeCall(string Name, string Database, string? Collection = null)
{
    /// <summary>The session's id, where a session was given.</summary>
    public BsonDocument? Session { get; init; }

    public bool IsInTransaction { get; init; }

    public ReadConcern? ReadConcern { get; init; }

    public WriteConcern? WriteConcern { get; init; }

    /// <summary>Filter, command or options, in words.</summary>
    public string Detail { get; init; } = "";

    /// <summary>Of a bulk: how many models.</summary>
    public int Models { get; init; }

    public bool IsOrdered { get; init; }

    public TimeSpan? MaxTime { get; init; }
}
