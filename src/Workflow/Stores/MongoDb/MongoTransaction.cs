namespace Workflow.Stores.MongoDb;

/// <summary>The operations within one transaction, and its state.</summary>
internal sealed class MongoTransaction(IClientSessionHandle session, IMongoDatabase database)
{
    private CancellationToken _token;

    /// <summary>Whether the commit was sent: after that, an error leaves the outcome unknown.</summary>
    public bool IsCommitting { get; private set; }

    public async Task<T> RunAsync<T>(
        TransactionOptions options, Func<MongoTransaction, Task<T>> work, CancellationToken cancellationToken)
    {
        _token = cancellationToken;
        session.StartTransaction(options);
        var result = await work(this).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        IsCommitting = true;
        await session.CommitTransactionAsync(cancellationToken).ConfigureAwait(false);
        return result;
    }

    public Task<BulkWriteResult<BsonDocument>> WriteAsync(
        string collection, IReadOnlyList<WriteModel<BsonDocument>> models) =>
        database.GetCollection<BsonDocument>(collection)
            .BulkWriteAsync(session, models, new() { IsOrdered = true }, _token);

    /// <summary>
    /// Changes the documents that the filter finds, at most one when it names an id; says how many they were.
    /// </summary>
    public async Task<long> UpdateAsync(
        string collection, BsonDocument filter, UpdateDefinition<BsonDocument> update, bool isUpsert = false) =>
        (await WriteAsync(collection, [new UpdateOneModel<BsonDocument>(filter, update) { IsUpsert = isUpsert }])
            .ConfigureAwait(false)).MatchedCount;

    public async Task<IReadOnlyList<T>> ListAsync<T>(string collection, BsonDocument filter, Func<BsonDocument, T> read)
    {
        var cursor = await database.GetCollection<BsonDocument>(collection)
            .FindAsync(session, filter, new FindOptions<BsonDocument> { MaxTime = MongoDatabase.Limit }, _token)
            .ConfigureAwait(false);
        return (await cursor.ToListAsync(_token).ConfigureAwait(false)).ConvertAll(d => read(d));
    }
}
