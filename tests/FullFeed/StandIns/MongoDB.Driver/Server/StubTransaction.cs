using System.Collections.Immutable;
using MongoDB.Bson;

namespace MongoDB.StandIn;

/// <summary>An open transaction: what it saw when it began, what it sees now, and what it has written.</summary>
public sealed class StubTransaction(BsonDocument session, ImmutableDictionary<string, StubContent> snapshot)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public BsonDocument Session => session;

    public ImmutableDictionary<string, StubContent> Snapshot { get; } = snapshot;

    public ImmutableDictionary<string, StubContent> Content { get; set; } = snapshot;

    public HashSet<(string Space, BsonValue Id)> Written { get; } = [];

    public bool IsOver => _ended.Task.IsCompleted;

    /// <summary>Completes when it was committed or aborted.</summary>
    public Task Ended => _ended.Task;

    public void End() => _ended.TrySetResult();
}
