using MongoDB.Bson;

namespace MongoDB.Driver;

public partial interface IMongoClient : IDisposable
{
    MongoClientSettings Settings { get; }

    IMongoDatabase GetDatabase(string name);

    Task<IClientSessionHandle> StartSessionAsync(ClientSessionOptions? options = null, CancellationToken cancellationToken = default);
}

public partial interface IMongoDatabase
{
    IMongoClient Client { get; }

    IMongoCollection<TDocument> GetCollection<TDocument>(string name);

    Task<TResult> RunCommandAsync<TResult>(Command<TResult> command, ReadPreference? readPreference = null, CancellationToken cancellationToken = default);

    IMongoDatabase WithReadConcern(ReadConcern readConcern);

    IMongoDatabase WithWriteConcern(WriteConcern writeConcern);
}

public partial interface IMongoCollection<TDocument>
{
    Task<BulkWriteResult<TDocument>> BulkWriteAsync(
        IEnumerable<WriteModel<TDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default);

    Task<BulkWriteResult<TDocument>> BulkWriteAsync(
        IClientSessionHandle session, IEnumerable<WriteModel<TDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default);

    Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        FilterDefinition<TDocument> filter, FindOptions<TDocument, TProjection>? options = null, CancellationToken cancellationToken = default);

    Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        IClientSessionHandle session, FilterDefinition<TDocument> filter, FindOptions<TDocument, TProjection>? options = null, CancellationToken cancellationToken = default);

    IMongoCollection<TDocument> WithReadConcern(ReadConcern readConcern);

    IMongoCollection<TDocument> WithWriteConcern(WriteConcern writeConcern);
}

public class FindOptions<TDocument, TProjection>
{
    public int? BatchSize { get; set; }

    public int? Limit { get; set; }

    public TimeSpan? MaxTime { get; set; }

    public ProjectionDefinition<TDocument, TProjection>? Projection { get; set; }

    public SortDefinition<TDocument>? Sort { get; set; }
}

public sealed class FindOptions<TDocument> : FindOptions<TDocument, TDocument>;

public interface IClientSession : IDisposable
{
    bool IsInTransaction { get; }

    IServerSession ServerSession { get; }

    Task AbortTransactionAsync(CancellationToken cancellationToken = default);

    Task CommitTransactionAsync(CancellationToken cancellationToken = default);

    void StartTransaction(TransactionOptions? transactionOptions = null);
}

public interface IClientSessionHandle : IClientSession;

public interface IServerSession : IDisposable
{
    BsonDocument Id { get; }
}

public interface IAsyncCursor<out TDocument> : IDisposable
{
    IEnumerable<TDocument> Current { get; }

    Task<bool> MoveNextAsync(CancellationToken cancellationToken = default);
}

public static class IAsyncCursorExtensions
{
    public static async Task<List<TDocument>> ToListAsync<TDocument>(this IAsyncCursor<TDocument> source, CancellationToken cancellationToken = default)
    {
        var all = new List<TDocument>();
        using (source)
        {
            while (await source.MoveNextAsync(cancellationToken))
            {
                all.AddRange(source.Current);
            }
        }

        return all;
    }
}
