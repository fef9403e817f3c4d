namespace Workflow.Engine.Cluster;

/// <summary>Routes commands and messages to their lane, here or on another node.</summary>
internal sealed class CommandRouter(EngineRuntime runtime, TimeProvider time) : ICommandRouter
{
    private volatile LaneSlots? _slots;
    private volatile ClusterNode? _node;
    private volatile bool _isStopped;
    private long _routed;

    /// <summary>The lanes; null before the engine is started.</summary>
    public LaneSlots? Slots => _slots;

    /// <summary>This engine as one of several; null where the store has one engine.</summary>
    public ClusterNode? Node => _node;

    public IEnumerable<Lane> Running => _slots?.Running ?? [];
    public bool HasNodes => _node is not null;

    public void Start(LaneSlots slots) => _slots = slots;

    public void Join(ClusterNode node) => _node = node;

    /// <summary>From now on every command is refused.</summary>
    public void Stop() => _isStopped = true;

    public Guid NewId() => runtime.NewId(time.GetUtcNow());

    public Guid NewInstanceId(string? correlationKey, string? idempotencyKey)
    {
        var id = Partitioning.NewInstanceId(NewId(), correlationKey ?? idempotencyKey);
        return correlationKey is null && _slots is { } slots && Partitioning.OfInstance(id) is var partition && slots.Of(partition) is null
            && slots.AnyPartition(idempotencyKey is null ? id.GetHashCode() & int.MaxValue : partition) is { } here
            ? Partitioning.NewId(id, here)
            : id;
    }

    public Task<T> ExecuteAsync<T>(
        short partition, string kind, LaneCommand<T> command, Func<LaneCommand<T>, RemoteCommand> describe,
        CancellationToken cancellationToken) => ExecuteAsync(partition, command, kind, describe, elsewhere: null, cancellationToken);

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
                throw new EngineStoppedException(_slots is null ? "the command (the engine was not started)" : command.Description);
            }

            if (_slots.Of(partition) is not { } lane)
            {
                return await (elsewhere is null
                    ? _node!.ExecuteRemotelyAsync<T>(partition, kind!, describe!(command), cancellationToken)
                    : elsewhere(command, cancellationToken));
            }

            CancellationTokenRegistration givingUp = default;
            try
            {
                lane.Post(command);
                givingUp = command.GiveUpWith(cancellationToken);
                return await command.Completion;
            }
            catch (LaneMovedException) when (moves < ICommandRouter.MaxMoves)
            {
                // It follows the lane.
                command = command.Again();
            }
            finally
            {
                givingUp.Unregister();
            }
        }
    }

    public Task<IdempotencyRow?> SendAsync(Guid id, short partition, string kind, RemoteCommand command, IdempotencyRow? key) =>
        _node!.SendAsync(id, partition, kind, command, key);

    /// <summary>A message was committed: it goes to its lane.</summary>
    public void Route(Message message)
    {
        // If the lane is not here, or has just moved, its owner finds the message in its inbox.
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

    /// <summary>Lanes are read one after the other: if a message was routed meanwhile, the reading does not count.</summary>
    public bool IsIdle()
    {
        var before = Interlocked.Read(ref _routed);
        return (_slots?.All ?? []).All(l => l.IsIdle) && (_node?.IsIdle ?? true) && Interlocked.Read(ref _routed) == before;
    }
}
