using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>Reads and bulks of a collection.</summary>
public sealed class FakeCollection(MongoClient client, string database, string name, ReadConcern readConcern, WriteConcern writeConcern)
    : IMongoCollection<BsonDocument>
{
    private readonly string _space = $"{database}.{name}";

    private FakeServer Server => client.Server;

    public IMongoCollection<BsonDocument> WithReadConcern(ReadConcern other) =>
        new FakeCollection(client, database, name, other, writeConcern);

    public IMongoCollection<BsonDocument> WithWriteConcern(WriteConcern other) =>
        new FakeCollection(client, database, name, readConcern, other);

    public Task<BulkWriteResult<BsonDocument>> BulkWriteAsync(
        IEnumerable<WriteModel<BsonDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default) =>
        WriteAsync(null, [.. requests], options ?? new(), cancellationToken);

    public Task<BulkWriteResult<BsonDocument>> BulkWriteAsync(
        IClientSessionHandle session, IEnumerable<WriteModel<BsonDocument>> requests, BulkWriteOptions? options = null,
        CancellationToken cancellationToken = default) =>
        WriteAsync((FakeSession)session, [.. requests], options ?? new(), cancellationToken);

    public Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection>? options = null,
        CancellationToken cancellationToken = default) =>
        ReadAsync(null, filter, options ?? new(), cancellationToken);

    public Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        IClientSessionHandle session, FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection>? options = null,
        CancellationToken cancellationToken = default) =>
        ReadAsync((FakeSession)session, filter, options ?? new(), cancellationToken);

    public Task<IChangeStreamCursor<TResult>> WatchAsync<TResult>(
        PipelineDefinition<ChangeStreamDocument<BsonDocument>, TResult> pipeline, ChangeStreamOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new();
        return Server.RunAsync(
            client.Settings,
            Call("aggregate", null) with
            {
                Detail = string.Join(" ", pipeline.Stages.Prepend(new("$changeStream", new BsonDocument()))),
                MaxTime = options.MaxAwaitTime,
            },
            () => Task.FromResult((IChangeStreamCursor<TResult>)(object)Watch()),
            cancellationToken);

        FakeChangeCursor Watch()
        {
            if (!Server.IsReplicaSet)
            {
                throw FakeErrors.Command(40573, "Location40573", "The $changeStream stage is only supported on replica sets");
            }

            var from = options.ResumeAfter is { } place ? FakeServer.PlaceFrom(place) : Server.ChangesEnd;
            Server.ReadChanges(_space, from);
            return new(Server, Call("getMore", null) with { MaxTime = options.MaxAwaitTime }, _space, pipeline.Stages, from);
        }
    }

    private Task<IAsyncCursor<TProjection>> ReadAsync<TProjection>(
        FakeSession? session, FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection> options,
        CancellationToken cancellationToken)
    {
        var call = Call("find", session) with { Detail = filter.Document.ToString(), MaxTime = options.MaxTime };
        return Server.RunAsync(client.Settings, call, () => Task.FromResult((IAsyncCursor<TProjection>)(object)Find()), cancellationToken);

        FakeCursor Find()
        {
            var transaction = session?.Transaction;
            if (transaction is { IsOver: true })
            {
                throw FakeErrors.NoSuchTransaction();
            }

            var content = transaction is null ? Server.Read(_space) : transaction.Content.GetValueOrDefault(_space) ?? FakeContent.Empty;
            var now = Now();
            var found = FakeFilter.Matching(content, filter.Document, now);
            found = options.Sort is { } sort ? FakeFilter.Sort(found, sort.Document) : found;
            found = options.Limit is { } limit ? found.Take(limit) : found;
            return new([.. found.Select(d => FakeProjection.Apply(d, options.Projection?.Document, now))]);
        }
    }

    private Task<BulkWriteResult<BsonDocument>> WriteAsync(
        FakeSession? session, IReadOnlyList<WriteModel<BsonDocument>> models, BulkWriteOptions options, CancellationToken cancellationToken)
    {
        if (models.Count == 0)
        {
            throw new ArgumentException("Must contain at least 1 request.", nameof(models));
        }

        var call = Call("bulkWrite", session) with { Models = models.Count, IsOrdered = options.IsOrdered, Detail = string.Join(
            " ", models.Select(m => m.GetType().Name.Split('`')[0])) };
        return Server.RunAsync(client.Settings, call, () => new FakeBulk(Server, _space, session?.Transaction, Now(), options.IsOrdered)
            .RunAsync(models, cancellationToken), cancellationToken);
    }

    private BsonDateTime Now() => new(Server.Time.GetUtcNow().UtcDateTime);

    private FakeCall Call(string command, FakeSession? session) => new(command, database, name)
    {
        Session = session?.Id,
        IsInTransaction = session?.IsInTransaction == true,
        ReadConcern = session?.IsInTransaction == true ? session.Options?.ReadConcern : readConcern,
        WriteConcern = session?.IsInTransaction == true ? session.Options?.WriteConcern : writeConcern,
    };
}

/// <summary>Hands the documents out in batches, as a cursor does.</summary>
public sealed class FakeCursor(IReadOnlyList<BsonDocument> documents) : IAsyncCursor<BsonDocument>
{
    private const int BatchSize = 101;

    private int _next;

    public IEnumerable<BsonDocument> Current { get; private set; } = [];

    public Task<bool> MoveNextAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Current = [.. documents.Skip(_next).Take(BatchSize)];
        _next += BatchSize;
        return Task.FromResult(Current.Any());
    }

    public void Dispose() => _next = documents.Count;
}

/// <summary>A stream of changes: each look waits as long as it was asked to, at most.</summary>
public sealed class FakeChangeCursor(FakeServer server, FakeCall call, string space, IReadOnlyList<BsonDocument> stages, int from)
    : IChangeStreamCursor<BsonDocument>
{
    private int _from = from;

    public IEnumerable<BsonDocument> Current { get; private set; } = [];

    public BsonDocument GetResumeToken() => FakeServer.PlaceOf(_from);

    public Task<bool> MoveNextAsync(CancellationToken cancellationToken = default) => server.RunAsync(
        call,
        async () =>
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            limit.CancelAfter(call.MaxTime ?? TimeSpan.FromSeconds(1));
            while (true)
            {
                var (changes, end, next) = server.ReadChanges(space, _from);
                Current = [.. changes.Select(Through).OfType<BsonDocument>()];
                _from = end;
                if (Current.Any() || limit.IsCancellationRequested)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    return true;
                }

                await next.WaitAsync(limit.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        },
        cancellationToken);

    public void Dispose() => Current = [];

    private BsonDocument? Through(BsonDocument change)
    {
        var now = new BsonDateTime(server.Time.GetUtcNow().UtcDateTime);
        BsonDocument? left = change;
        foreach (var (name, stage) in stages.Select(s => s.GetElement(0)))
        {
            left = left is null ? null : name switch
            {
                "$match" => FakeFilter.Matches(left, stage.AsBsonDocument, now) ? left : null,
                "$project" => FakeProjection.Apply(left, stage.AsBsonDocument, now),
                _ => throw FakeErrors.Command(40324, "Location40324", $"Unrecognized pipeline stage name: '{name}'"),
            };
        }

        return left;
    }
}

public sealed class FakeDatabase(MongoClient client, string name, ReadConcern readConcern, WriteConcern writeConcern) : IMongoDatabase
{
    public IMongoCollection<TDocument> GetCollection<TDocument>(string collection) => typeof(TDocument) == typeof(BsonDocument)
        ? (IMongoCollection<TDocument>)(object)new FakeCollection(client, name, collection, readConcern, writeConcern)
        : throw new NotSupportedException($"The stand-in keeps BsonDocument alone, and no {typeof(TDocument).Name}.");

    public Task<TResult> RunCommandAsync<TResult>(
        Command<TResult> command, ReadPreference? readPreference = null, CancellationToken cancellationToken = default) =>
        client.Server.RunAsync(
            client.Settings,
            new(command.Document.GetElement(0).Name, name) { Detail = command.Document.ToString() },
            () => Task.FromResult((TResult)(object)client.Server.Command(name, command.Document)),
            cancellationToken);
}

/// <summary>A session and the transaction that it is in; the server hears of a transaction with its first statement.</summary>
public sealed class FakeSession(FakeServer server) : IClientSessionHandle, IServerSession
{
    private FakeTransaction? _transaction;
    private TransactionOptions? _options;

    public bool IsInTransaction { get; private set; }

    public IServerSession ServerSession => this;

    public BsonDocument Id { get; } = new("id", new BsonBinaryData(Guid.NewGuid(), GuidRepresentation.Standard));

    public TransactionOptions? Options => _options;

    /// <summary>The transaction of the next statement; null outside.</summary>
    public FakeTransaction? Transaction => IsInTransaction ? _transaction ??= server.Begin(Id) : null;

    public void StartTransaction(TransactionOptions? transactionOptions = null)
    {
        if (IsInTransaction)
        {
            throw new InvalidOperationException("Transaction already in progress.");
        }

        (IsInTransaction, _options, _transaction) = (true, transactionOptions, null);
    }

    public async Task CommitTransactionAsync(CancellationToken cancellationToken = default)
    {
        if (!IsInTransaction)
        {
            throw new InvalidOperationException("No transaction started.");
        }

        IsInTransaction = false;
        if (_transaction is { } transaction)
        {
            try
            {
                await server.RunAsync(Call("commitTransaction"), () => Done(() => server.Commit(transaction)), cancellationToken);
            }
            catch
            {
                server.Leave(transaction);
                throw;
            }
        }
    }

    public async Task AbortTransactionAsync(CancellationToken cancellationToken = default)
    {
        if (!IsInTransaction)
        {
            throw new InvalidOperationException("No transaction started.");
        }

        IsInTransaction = false;
        if (_transaction is { } transaction)
        {
            try
            {
                await server.RunAsync(Call("abortTransaction"), () => Done(() => server.Abort(transaction)), cancellationToken);
            }
            catch (MongoException)
            {
                // As the original: whoever aborts gets no errors, and the server ends the transaction by itself some time later.
                server.Leave(transaction);
            }
        }
    }

    public void Dispose()
    {
        if (IsInTransaction && _transaction is { } transaction)
        {
            IsInTransaction = false;
            server.Abort(transaction);
        }
    }

    private static Task<bool> Done(Action work)
    {
        work();
        return Task.FromResult(true);
    }

    private FakeCall Call(string name) => new(name, "admin")
    {
        Session = Id,
        IsInTransaction = true,
        ReadConcern = _options?.ReadConcern,
        WriteConcern = _options?.WriteConcern,
        MaxTime = _options?.MaxCommitTime,
    };
}
