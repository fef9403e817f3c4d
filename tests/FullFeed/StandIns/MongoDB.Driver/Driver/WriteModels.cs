using MongoDB.Bson;

namespace MongoDB.Driver;

public abstract class WriteModel<TDocument>;

public sealed class InsertOneModel<TDocument>(TDocument document) : WriteModel<TDocument>
{
    public TDocument Document => document;
}

public sealed class UpdateOneModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;

    public UpdateDefinition<TDocument> Update => update;

    public bool IsUpsert { get; set; }
}

public sealed class UpdateManyModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;

    public UpdateDefinition<TDocument> Update => update;
}

public sealed class DeleteOneModel<TDocument>(FilterDefinition<TDocument> filter) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;
}

public sealed class DeleteManyModel<TDocument>(FilterDefinition<TDocument> filter) : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;
}

public sealed class BulkWriteOptions
{
    public bool IsOrdered { get; set; } = true;

    public BsonValue? Comment { get; set; }
}

public abstract class BulkWriteResult(int requestCount)
{
    public abstract long DeletedCount { get; }

    public abstract long InsertedCount { get; }

    public abstract long MatchedCount { get; }

    public abstract long ModifiedCount { get; }

    public int RequestCount => requestCount;

    public abstract IReadOnlyList<BulkWriteUpsert> Upserts { get; }
}

public sealed class BulkWriteUpsert(int index, BsonValue id)
{
    public int Index => index;

    public BsonValue Id => id;
}

public abstract class BulkWriteResult<TDocument>(int requestCount) : BulkWriteResult(requestCount)
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
