using System.Collections.Immutable;

namespace IntegrationTests.Mongo.Server;

/// <summary>An open transaction: its snapshot, its current view and its writes.</summary>
internal sealed class Transaction(Guid session, long number, ImmutableDictionary<string, Collection> snapshot)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Guid Session => session;

    public long Number => number;

    public ImmutableDictionary<string, Collection> Snapshot { get; } = snapshot;

    public ImmutableDictionary<string, Collection> Content { get; set; } = snapshot;

    public HashSet<(string Space, BsonValue Id)> Written { get; } = [];

    public bool IsOver => _ended.Task.IsCompleted;

    /// <summary>Completes when it was committed or aborted.</summary>
    public Task Ended => _ended.Task;

    public void End() => _ended.TrySetResult();
}
