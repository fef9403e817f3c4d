using MongoDB.Bson;

namespace MongoDB.Driver;

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
