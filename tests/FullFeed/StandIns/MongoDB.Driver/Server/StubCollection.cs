using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>Reads and bulks of a collection.</summary>
public sealed partial class StubCollection(MongoClient client, string database, string name, ReadConcern readConcern, WriteConcern writeConcern)
    : IMongoCollection<BsonDocument>
{
    private readonly string _space = $"{database}.{name}";

    private StubServer Server => client.Server;

    public IMongoCollection<BsonDocument> WithReadConcern(ReadConcern other) => new StubCollection(client, database, name, other, writeConcern);

    public IMongoCollection<BsonDocument> WithWriteConcern(WriteConcern other) => new StubCollection(client, database, name, readConcern, other);

    public Task<BulkWriteResult<BsonDocument>> BulkWriteAsync(
        IEnumerable<WriteModel<BsonDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default) =>
        WriteAsync(null, [.. requests], options ?? new(), cancellationToken);

    public Task<BulkWriteResult<BsonDocument>> BulkWriteAsync(
        IClientSessionHandle session, IEnumerable<WriteModel<BsonDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default) =>
        WriteAsync((StubSession)session, [.. requests], options ?? new(), cancellationToken);

    public Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection>? options = null, CancellationToken cancellationToken = default) =>
        ReadAsync(null, filter, options ?? new(), cancellationToken);

    public Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        IClientSessionHandle session, FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection>? options = null, CancellationToken cancellationToken = default) =>
        ReadAsync((StubSession)session, filter, options ?? new(), cancellationToken);

    private Task<IAsyncCursor<TProjection>> ReadAsync<TProjection>(
        StubSession? session, FilterDefinition<BsonDocument> filter, FindOptions<BsonDocument, TProjection> options, CancellationToken cancellationToken)
    {
        var call = Call("find", session) with { Detail = filter.Document.ToString(), MaxTime = options.MaxTime };
        return Server.RunAsync(client.Settings, call, () => Task.FromResult((IAsyncCursor<TProjection>)(object)Find()), cancellationToken);

        StubCursor Find()
        {
            var transaction = session?.Transaction;
            if (transaction is { IsOver: true })
            {
                throw StubErrors.NoSuchTransaction();
            }

            var content = transaction is null ? Server.Read(_space) : transaction.Content.GetValueOrDefault(_space) ?? StubContent.Empty;
            var now = Now();
            var found = StubFilter.Matching(content, filter.Document, now);
            found = options.Sort is { } sort ? StubFilter.Sort(found, sort.Document) : found;
            found = options.Limit is { } limit ? found.Take(limit) : found;
            return new([.. found.Select(d => StubProjection.Apply(d, options.Projection?.Document, now))], options.BatchSize ?? 101);
        }
    }

    private Task<BulkWriteResult<BsonDocument>> WriteAsync(
        StubSession? session, IReadOnlyList<WriteModel<BsonDocument>> models, BulkWriteOptions options, CancellationToken cancellationToken)
    {
        if (models.Count == 0)
        {
            throw new ArgumentException("Must contain at least 1 request.", nameof(models));
        }

        var call = Call("bulkWrite", session) with { Models = models.Count, IsOrdered = options.IsOrdered, Detail = string.Join(" ", models.Select(m => m.GetType().Name.Split('`')[0])) };
        return Server.RunAsync(client.Settings, call, () => new StubBulk(Server, _space, session?.Transaction, Now(), options.IsOrdered).RunAsync(models, cancellationToken), cancellationToken);
    }

    private BsonDateTime Now() => new(Server.Time.GetUtcNow().UtcDateTime);

    private StubCall Call(string command, StubSession? session) => new(command, database, name)
    {
        Session = session?.Id,
        IsInTransaction = session?.IsInTransaction == true,
        ReadConcern = session?.IsInTransaction == true ? session.Options?.ReadConcern : readConcern,
        WriteConcern = session?.IsInTransaction == true ? session.Options?.WriteConcern : writeConcern,
    };
}

/// <summary>Hands the documents out in batches, as a cursor does.</summary>
public sealed class StubCursor(IReadOnlyList<BsonDocument> documents, int batchSize) : IAsyncCursor<BsonDocument>
{
    private int _next;

    public IEnumerable<BsonDocument> Current { get; private set; } = [];

    public Task<bool> MoveNextAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Current = [.. documents.Skip(_next).Take(batchSize)];
        _next += batchSize;
        return Task.FromResult(Current.Any());
    }

    public void Dispose() => _next = documents.Count;
}
