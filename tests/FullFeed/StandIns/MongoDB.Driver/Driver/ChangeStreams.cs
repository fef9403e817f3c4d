using MongoDB.Bson;

namespace MongoDB.Driver;

public sealed class ChangeStreamOptions
{
    public TimeSpan? MaxAwaitTime { get; set; }

    public BsonDocument? ResumeAfter { get; set; }
}

/// <summary>Only names the type of what a pipeline takes.</summary>
public sealed class ChangeStreamDocument<TDocument>;

public interface IChangeStreamCursor<out TDocument> : IAsyncCursor<TDocument>
{
    BsonDocument? GetResumeToken();
}

public partial interface IMongoCollection<TDocument>
{
    Task<IChangeStreamCursor<TResult>> WatchAsync<TResult>(
        PipelineDefinition<ChangeStreamDocument<TDocument>, TResult> pipeline, ChangeStreamOptions? options = null, CancellationToken cancellationToken = default);
}
