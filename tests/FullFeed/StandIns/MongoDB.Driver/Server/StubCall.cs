using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <summary>A command as the server received it, before it ran.</summary>
public sealed record StubCall(string Name, string Database, string? Collection = null)
{
    /// <summary>The session's id, where a session was given.</summary>
    public BsonDocument? Session { get; init; }

    public bool IsInTransaction { get; init; }

    public ReadConcern? ReadConcern { get; init; }

    public WriteConcern? WriteConcern { get; init; }

    /// <summary>Filter, command or options, in words.</summary>
    public string Detail { get; init; } = "";

    /// <summary>Of a bulk: how many models.</summary>
    public int Models { get; init; }

    public bool IsOrdered { get; init; }

    public TimeSpan? MaxTime { get; init; }
}
