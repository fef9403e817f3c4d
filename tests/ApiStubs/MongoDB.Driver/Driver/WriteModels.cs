using MongoDB.Bson;

namespace MongoDB.Driver;

internal abstract class WriteModel<TDocument>;

internal sealed class InsertOneModel<TDocument>(TDocument document) : WriteModel<TDocument>
{
    public TDocument Document => document;
}

internal sealed class UpdateOneModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;

    public UpdateDefinition<TDocument> Update => update;

    public bool IsUpsert { get; set; }
}

internal sealed class UpdateManyModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;

    public UpdateDefinition<TDocument> Update => update;
}

internal sealed class DeleteOneModel<TDocument>(FilterDefinition<TDocument> filter) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;
}

internal sealed class DeleteManyModel<TDocument>(FilterDefinition<TDocument> filter) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;
}

internal sealed class BulkWriteOptions
{
    public bool IsOrdered { get; set; } = true;

    public BsonValue? Comment { get; set; }
}

internal abstract class BulkWriteResult(int requestCount)
{
    public abstract long DeletedCount { get; }

    public abstract long InsertedCount { get; }

    public abstract long MatchedCount { get; }

    public abstract long ModifiedCount { get; }

    public int RequestCount => requestCount;

    public abstract IReadOnlyList<BulkWriteUpsert> Upserts { get; }
}

internal sealed class BulkWriteUpsert(int index, BsonValue id)
{
    public int Index => index;

    public BsonValue Id => id;
}

internal abstract class BulkWriteResult<TDocument>(int requestCount) : BulkWriteResult(requestCount)
{
    public sealed class Acknowledged(int requestCount, long matchedCount, long deletedCount, long insertedCount, long modifiedCount, IReadOnlyList<BulkWriteUpsert> upserts)
        : BulkWriteResult<TDocument>(requestCount)
    {
        public override long DeletedCount => deletedCount;

        public override long InsertedCount => insertedCount;

        public override long MatchedCount => matchedCount;

        public override long ModifiedCount => modifiedCount;

        public override IReadOnlyList<BulkWriteUpsert> Upserts => upserts;
    }
}
