namespace Workflow.Engine.Cluster;

/// <summary>Routes commands and messages to their lane, here or on another node.</summary>
internal sealed class CommandRouter(EngineRuntime runtime, TimeProvider time)
{
    /// <summary>How often a command follows its lane before its caller gets the error.</summary>
    public const int MaxMoves = 8;

    private volatile LaneSlots? _slots;
    private volatile ClusterNode? _node;
    private volatile bool _isStopped;
    private long _routed;

    /// <summary>The lanes; null before the engine is started.</summary>
    public LaneSlots? Slots => _slots;

    /// <summary>This engine as one of several; null if one engine owns the store.</summary>
    public ClusterNode? Node => _node;

    public IEnumerable<Lane> Running => _slots?.Running ?? [];

    /// <summary>Whether the store may have other nodes.</summary>
    public bool HasNodes => _node is not null;

    public void Start(LaneSlots slots) => _slots = slots;

    public void Join(ClusterNode node) => _node = node;

    /// <summary>Refuses every command from now on.</summary>
    public void Stop() => _isStopped = true;

    public Guid NewId() => runtime.NewId(time.GetUtcNow());

    /// <summary>
    /// Returns an id in the partition of the correlation key. Without a correlation key, prefers a partition whose lane
    /// runs here, so that the start needs no other node. The idempotency key selects the partition, so that two
    /// simultaneous copies of a request reach the same lane.
    /// </summary>
    public Guid NewInstanceId(string? correlationKey, string? idempotencyKey)
    {
        var id = Partitioning.NewInstanceId(NewId(), correlationKey ?? idempotencyKey);
        return correlationKey is null && _slots is { } slots && Partitioning.OfInstance(id) is var partition
            && slots.Of(partition) is null
            && slots.AnyPartition(idempotencyKey is null ? id.GetHashCode() & int.MaxValue : partition) is { } here
            ? Partitioning.NewId(id, here)
            : id;
    }

    /// <summary>Executes a command in the lane of the partition, here or on another node.</summary>
    /// <param name="describe">Creates the command that is sent to the other node.</param>
    public Task<T> ExecuteAsync<T>(
        short partition, string kind, LaneCommand<T> command, Func<LaneCommand<T>, RemoteCommand> describe,
        CancellationToken cancellationToken) =>
        ExecuteAsync(partition, command, kind, describe, elsewhere: null, cancellationToken);

    /// <param name="elsewhere">Executes the command if its lane runs on another node.</param>
    public Task<T> ExecuteAsync<T>(
        short partition, LaneCommand<T> command, Func<LaneCommand<T>, CancellationToken, Task<T>> elsewhere,
        CancellationToken cancellationToken) =>
        ExecuteAsync(partition, command, kind: null, describe: null, elsewhere, cancellationToken);

    private async Task<T> ExecuteAsync<T>(
        short partition, LaneCommand<T> command, string? kind, Func<LaneCommand<T>, RemoteCommand>? describe,
        Func<LaneCommand<T>, CancellationToken, Task<T>>? elsewhere, CancellationToken cancellationToken)
    {
        for (var moves = 1; ; moves++)
        {
            command.Trace = Tracing.Caller;
            if (_slots is null || _isStopped)
            {
                throw new EngineStoppedException(
                    _slots is null ? "the command (the engine was not started)" : command.Description);
            }

            if (_slots.Of(partition) is not { } lane)
            {
                return await (elsewhere is null
                    ? _node!.ExecuteRemotelyAsync<T>(partition, kind!, describe!(command), cancellationToken)
                    : elsewhere(command, cancellationToken));
            }

            CancellationTokenRegistration cancellation = default;
            try
            {
                lane.Post(command);
                cancellation = command.CancelCompletionWith(cancellationToken);
                return await command.Completion;
            }
            catch (LaneMovedException) when (moves < MaxMoves)
            {
                // The command follows the lane.
                command = command.Copy();
            }
            finally
            {
                cancellation.Unregister();
            }
        }
    }

    /// <summary>Sends a command to the inbox of a partition whose lane runs on another node.</summary>
    /// <returns>The stored row of its idempotency key; null if it has none.</returns>
    public Task<IdempotencyRow?> SendAsync(
        Guid id, short partition, string kind, RemoteCommand command, IdempotencyRow? key) =>
        _node!.SendAsync(id, partition, kind, command, key);

    public void Route(Message message)
    {
        // If the lane is not here or has just moved, its owner finds the message in its inbox.
        if (_slots?.Of(message.Partition) is { } lane)
        {
            lane.PostMessage(message);
        }
        else
        {
            _node?.Notify(message.Partition);
        }

        Interlocked.Increment(ref _routed);
    }

    /// <summary>
    /// Whether all lanes are idle. The lanes are checked one after the other, so a message that is routed meanwhile
    /// invalidates the result.
    /// </summary>
    public bool IsIdle()
    {
        var before = Interlocked.Read(ref _routed);
        return (_slots?.All ?? []).All(l => l.IsIdle) && (_node?.IsIdle ?? true)
            && Interlocked.Read(ref _routed) == before;
    }
}
