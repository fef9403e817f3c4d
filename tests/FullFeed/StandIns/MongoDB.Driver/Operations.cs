using MongoDB.Bson;

namespace MongoDB.Driver;

public abstract class WriteModel<TDocument>;

public sealed class InsertOneModel<TDocument>(TDocument document) : WriteModel<TDocument>
{
    public TDocument Document => document;
}

public sealed class UpdateOneModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update)
    : WriteModel<TDocument>
{
    public FilterDefinition<TDocument> Filter => filter;

    public UpdateDefinition<TDocument> Update => update;

    public bool IsUpsert { get; set; }
}

public sealed class UpdateManyModel<TDocument>(FilterDefinition<TDocument> filter, UpdateDefinition<TDocument> update)
    : WriteModel<TDocument>
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
}

public abstract class BulkWriteResult(long matchedCount, long deletedCount, long insertedCount, long modifiedCount)
{
    public long DeletedCount => deletedCount;

    public long InsertedCount => insertedCount;

    public long MatchedCount => matchedCount;

    public long ModifiedCount => modifiedCount;
}

public sealed class BulkWriteResult<TDocument>(long matchedCount, long deletedCount, long insertedCount, long modifiedCount)
    : BulkWriteResult(matchedCount, deletedCount, insertedCount, modifiedCount);

/// <summary>Only plain documents: no builders, no expressions.</summary>
public sealed class FilterDefinition<TDocument>(BsonDocument document)
{
    internal BsonDocument Document => document;

    public static implicit operator FilterDefinition<TDocument>(BsonDocument document) => new(document);
}

/// <summary>A document of operators, or the stages of a pipeline.</summary>
public class UpdateDefinition<TDocument>(BsonValue update)
{
    internal BsonValue Update => update;

    public static implicit operator UpdateDefinition<TDocument>(BsonDocument document) => new(document);
}

public sealed class PipelineUpdateDefinition<TDocument>(PipelineDefinition<TDocument, TDocument> pipeline)
    : UpdateDefinition<TDocument>(new BsonArray(pipeline.Stages));

public sealed class PipelineDefinition<TInput, TOutput>(IReadOnlyList<BsonDocument> stages)
{
    internal IReadOnlyList<BsonDocument> Stages => stages;

    public static implicit operator PipelineDefinition<TInput, TOutput>(BsonDocument[] stages) => new(stages);
}

public sealed class ProjectionDefinition<TSource, TProjection>(BsonDocument document)
{
    internal BsonDocument Document => document;

    public static implicit operator ProjectionDefinition<TSource, TProjection>(BsonDocument document) => new(document);
}

public sealed class SortDefinition<TDocument>(BsonDocument document)
{
    internal BsonDocument Document => document;

    public static implicit operator SortDefinition<TDocument>(BsonDocument document) => new(document);
}

public sealed class Command<TResult>(BsonDocument document)
{
    internal BsonDocument Document => document;

    public static implicit operator Command<TResult>(BsonDocument document) => new(document);
}

public readonly struct Optional<T>(T value)
{
    public bool HasValue { get; } = true;

    public T Value => value;

    public static implicit operator Optional<T>(T value) => new(value);
}

public enum ReadConcernLevel
{
    Available,
    Local,
    Majority,
    Linearizable,
    Snapshot,
}

public sealed record ReadConcern(ReadConcernLevel? Level)
{
    public static ReadConcern Default { get; } = new((ReadConcernLevel?)null);

    public static ReadConcern Local { get; } = new(ReadConcernLevel.Local);

    public static ReadConcern Majority { get; } = new(ReadConcernLevel.Majority);

    public static ReadConcern Snapshot { get; } = new(ReadConcernLevel.Snapshot);
}

public enum ReadPreferenceMode
{
    Primary,
    PrimaryPreferred,
    Secondary,
    SecondaryPreferred,
    Nearest,
}

public sealed record ReadPreference(ReadPreferenceMode ReadPreferenceMode)
{
    public static ReadPreference Primary { get; } = new(ReadPreferenceMode.Primary);
}

/// <summary>Compared by its members, as the original.</summary>
public sealed record WriteConcern
{
    private WriteConcern(WValue? w) => W = w;

    public static WriteConcern Acknowledged { get; } = new((WValue?)null);

    public static WriteConcern W1 { get; } = new(new WCount(1));

    public static WriteConcern WMajority { get; } = new(WMode.Majority);

    public WValue? W { get; private init; }

    public bool? Journal { get; private init; }

    public TimeSpan? WTimeout { get; private init; }

    public WriteConcern With(Optional<TimeSpan?> wTimeout = default, Optional<bool?> journal = default) => this with
    {
        WTimeout = wTimeout.HasValue ? wTimeout.Value : WTimeout,
        Journal = journal.HasValue ? journal.Value : Journal,
    };

    public abstract record WValue;

    public sealed record WCount(int Value) : WValue;

    public sealed record WMode(string Value) : WValue
    {
        public static WMode Majority { get; } = new("majority");
    }
}

public sealed class TransactionOptions(
    Optional<ReadConcern> readConcern = default,
    Optional<ReadPreference> readPreference = default,
    Optional<WriteConcern> writeConcern = default,
    Optional<TimeSpan?> maxCommitTime = default)
{
    public ReadConcern? ReadConcern => readConcern.Value;

    public ReadPreference? ReadPreference => readPreference.Value;

    public WriteConcern? WriteConcern => writeConcern.Value;

    public TimeSpan? MaxCommitTime => maxCommitTime.Value;
}

public sealed class ClientSessionOptions
{
    public bool? CausalConsistency { get; set; }
}
