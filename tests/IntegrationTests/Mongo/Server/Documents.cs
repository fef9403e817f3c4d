using System.Collections.Immutable;

namespace IntegrationTests.Mongo.Server;

/// <summary>
/// The databases of a server. Documents are replaced and never changed, so that a transaction's snapshot is a
/// reference. The first transaction to write a document has it until it ends; a second one, or one whose snapshot is
/// older than what is committed, is aborted with a write conflict; a write outside transactions waits. Thread-safe.
/// </summary>
internal sealed class Documents(InMemoryMongo server)
{
    /// <summary>As a server has it by default.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(60);

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Space, BsonValue Id), Transaction> _intents = [];
    private readonly Dictionary<Guid, Transaction> _open = [];
    private readonly Dictionary<Guid, long> _committed = [];
    private ImmutableDictionary<string, Collection> _content = ImmutableDictionary<string, Collection>.Empty;

    public ChangeLog Changes { get; } = new();

    /// <summary>The present view of a reader outside transactions.</summary>
    public Collection Read(string space)
    {
        lock (_gate)
        {
            return _content.GetValueOrDefault(space) ?? Collection.Empty;
        }
    }

    /// <summary>The view of a statement, within its transaction or outside.</summary>
    public Collection Seen(string space, Transaction? transaction)
    {
        if (transaction is null)
        {
            return Read(space);
        }

        return transaction.IsOver
            ? throw MongoReplyException.NoSuchTransaction()
            : transaction.Content.GetValueOrDefault(space) ?? Collection.Empty;
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

    public void Create(string space, BsonDocument? validator)
    {
        lock (_gate)
        {
            _content = _content.ContainsKey(space)
                ? throw new MongoReplyException(48, "NamespaceExists", $"Collection {space} already exists.")
                : _content.Add(space, Collection.Empty with { Validator = validator });
        }
    }

    /// <summary>Changes what documents that are written from now on keep to.</summary>
    public void Validate(string space, BsonDocument validator)
    {
        lock (_gate)
        {
            _content = _content.SetItem(space, _content[space] with { Validator = validator });
        }
    }

    public void DropDatabase(string database)
    {
        lock (_gate)
        {
            _content = _content.RemoveRange(
                _content.Keys.Where(c => c.StartsWith(database + ".", StringComparison.Ordinal)));
        }
    }

    public void Index(string space, IEnumerable<BsonDocument> indexes)
    {
        lock (_gate)
        {
            var content = _content.GetValueOrDefault(space) ?? Collection.Empty;
            foreach (var index in indexes.Where(i => content.Indexes.All(known => known["name"] != i["name"])))
            {
                content = index.Contains("unique")
                    ? throw new NotSupportedException($"This server keeps only _id unique, and not {index}.")
                    : content with { Indexes = content.Indexes.Add(index) };
            }

            _content = _content.SetItem(space, content);
        }
    }

    /// <summary>The transaction of a call, which may be its first; null outside transactions.</summary>
    public Transaction? TransactionOf(MongoCall call)
    {
        if (!call.IsInTransaction || call.Session is not { } session)
        {
            return null;
        }

        lock (_gate)
        {
            if (call.StartsTransaction)
            {
                return Begin(session, call.TransactionNumber);
            }

            return _open.TryGetValue(session, out var open) && open.Number == call.TransactionNumber
                ? open
                : throw MongoReplyException.NoSuchTransaction();
        }
    }

    /// <summary>Begins a transaction and ends the one of that session before it.</summary>
    public Transaction Begin(Guid session, long number = 1)
    {
        if (!server.IsReplicaSet)
        {
            throw new MongoReplyException(
                20, "IllegalOperation", "Transaction numbers are only allowed on a replica set member or mongos");
        }

        lock (_gate)
        {
            Kill(session);
            var transaction = new Transaction(session, number, _content);
            _ = Task.Delay(Lifetime, server.Stopped).ContinueWith(_ => Abort(transaction), TaskScheduler.Default);
            return _open[session] = transaction;
        }
    }

    public void Commit(MongoCall call)
    {
        lock (_gate)
        {
            var session = call.Session!.Value;
            if (_committed.GetValueOrDefault(session, -1) == call.TransactionNumber)
            {
                // Sent again, as its answer was lost.
                return;
            }

            var transaction = TransactionOf(call)!;
            foreach (var (space, id) in transaction.Written)
            {
                Put(space, id, transaction.Content[space].Documents.GetValueOrDefault(id));
            }

            _committed[session] = transaction.Number;
            End(transaction);
        }
    }

    public void Abort(Transaction transaction)
    {
        lock (_gate)
        {
            End(transaction);
        }
    }

    public void Kill(Guid session)
    {
        lock (_gate)
        {
            if (_open.TryGetValue(session, out var transaction))
            {
                End(transaction);
            }
        }
    }

    /// <summary>Writes one document of a transaction.</summary>
    public void Write(Transaction transaction, string space, BsonValue id, BsonDocument? document)
    {
        lock (_gate)
        {
            if (transaction.IsOver)
            {
                throw MongoReplyException.NoSuchTransaction();
            }

            var content = transaction.Content.GetValueOrDefault(space) ?? throw new MongoReplyException(
                263,
                "OperationNotSupportedInTransaction",
                $"Cannot create namespace {space} in multi-document transaction.");
            var committed = _content.GetValueOrDefault(space)?.Documents.GetValueOrDefault(id);
            var seen = transaction.Snapshot[space].Documents.GetValueOrDefault(id);
            if (_intents.GetValueOrDefault((space, id), transaction) != transaction
                || !ReferenceEquals(committed, seen))
            {
                throw MongoReplyException.WriteConflict();
            }

            _intents[(space, id)] = transaction;
            transaction.Written.Add((space, id));
            transaction.Content = transaction.Content.SetItem(space, content.With(id, document));
        }
    }

    /// <summary>Writes one document outside transactions, unless a transaction has it.</summary>
    /// <param name="space">The collection.</param>
    /// <param name="change">
    /// Says of the collection as it is which document becomes what; null when there is nothing to write.
    /// </param>
    /// <returns>The end of the transaction that has the document; null when it was written.</returns>
    public Task? TryWrite(string space, Func<Collection, (BsonValue Id, BsonDocument? Document)?> change)
    {
        lock (_gate)
        {
            if (change(_content.GetValueOrDefault(space) ?? Collection.Empty) is not (var id, var document))
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

    /// <summary>Writes one document regardless of its former content.</summary>
    public void Put(string space, BsonValue id, BsonDocument? document)
    {
        lock (_gate)
        {
            var content = _content.GetValueOrDefault(space) ?? Collection.Empty;
            _content = _content.SetItem(space, content.With(id, document));
            Changes.Add(space, id, content.Documents.GetValueOrDefault(id), document);
        }
    }

    private void End(Transaction transaction)
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
}
