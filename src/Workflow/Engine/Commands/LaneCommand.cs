namespace Workflow.Engine.Commands;

/// <summary>A request to a lane. It is applied in memory, then acknowledged after the commit or failed, each exactly once.</summary>
internal abstract class LaneCommand
{
    /// <summary>Monotonic ticks of acceptance.</summary>
    public long AcceptedTicks { get; set; }

    public DateTimeOffset AcceptedUtc { get; set; }

    /// <summary>The trace context of its caller, as a W3C <c>traceparent</c>; null where that is not recorded.</summary>
    public string? Trace { get; set; }

    /// <summary>About how many characters it holds as JSON while it is pending.</summary>
    public virtual long Size => 0;

    /// <summary>How often the lane has reloaded while this command was pending.</summary>
    public int Attempts { get; set; }

    /// <summary>The idempotency key with its kind, or null.</summary>
    public virtual string? Key => null;

    /// <summary>Whether its key was made for it and it was not applied yet: the commit checks the key, and no look-up does.</summary>
    public virtual bool IsKeyNew => false;

    /// <summary>Whether commands of other lanes with its key wait for its outcome.</summary>
    public bool HoldsKey { get; set; }

    /// <summary>Used in messages.</summary>
    public abstract string Description { get; }

    /// <summary>Whether a caller waits for its result, and can repeat it.</summary>
    public virtual bool IsAwaited => false;

    /// <summary>Whether it becomes a dead letter when it cannot be applied; else it fails, and nothing was accepted.</summary>
    public virtual bool CanDeadLetter => false;

    /// <summary>The signal, wait or message that it is about; empty when there is none.</summary>
    public virtual Guid SubjectId => Guid.Empty;

    public abstract void Apply(LaneContext lane);

    /// <summary>Becomes a dead letter instead of being applied. Memory is freshly loaded then.</summary>
    public virtual void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        throw new InvalidOperationException($"The {Description} cannot be dead-lettered.");

    /// <summary>The reply to a caller on another node, as JSON, once it was applied; null when no caller waits.</summary>
    public virtual string? Reply => null;

    /// <summary>Refuses it instead of applying it.</summary>
    public virtual void Refuse(Exception refusal)
    {
    }

    public virtual void Acknowledge()
    {
    }

    public virtual void Fail(Exception error)
    {
    }
}

/// <summary>A command with a caller who waits for its result.</summary>
internal abstract class LaneCommand<T> : LaneCommand
{
    private TaskCompletionSource<T> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Exception? _refusal;
    private T _result = default!;

    public override bool IsAwaited => true;
    public Task<T> Completion => _completion.Task;

    /// <summary>
    /// Ends <see cref="Completion"/> when the caller gives up; the command goes on all the same. Once it has ended the registration goes.
    /// Unlike <see cref="Task.WaitAsync(CancellationToken)"/>, this makes no object for each command.
    /// </summary>
    public CancellationTokenRegistration GiveUpWith(CancellationToken cancellationToken) => cancellationToken.UnsafeRegister(
        static (completion, token) => ((TaskCompletionSource<T>)completion!).TrySetCanceled(token), _completion);

    /// <summary>The command once more, for a lane that has moved: nothing of it was committed.</summary>
    public LaneCommand<T> Again()
    {
        var again = (LaneCommand<T>)MemberwiseClone();
        again._completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
        again._refusal = null;
        again.Attempts = 0;
        return again;
    }

    public override string Reply => (_refusal is null ? RemoteReply.Of(_result) : RemoteReply.Of(_refusal)).ToJson();

    /// <summary>Sets the result that the caller gets after the commit.</summary>
    protected void Succeed(T result)
    {
        _result = result;
        _refusal = null;
    }

    /// <summary>Whether a request with its key was applied before. Then the same one succeeds, and another is refused.</summary>
    /// <param name="again">The result of the same request.</param>
    protected bool IsRepeated(LaneContext lane, string? requestHash, Func<IdempotencyRow, T> again)
    {
        if (Key is not { } key || lane.Keys.Find(key) is not { } known)
        {
            return false;
        }

        if (known.RequestHash == requestHash)
        {
            Succeed(again(known));
        }
        else
        {
            Refuse(new IdempotencyConflictException(key[(key.IndexOf(':', StringComparison.Ordinal) + 1)..]));
        }

        return true;
    }

    /// <summary>Keeps its key, if it has one, so that it is not applied again.</summary>
    protected void KeepKey(LaneContext lane, string? requestHash, Guid resultId)
    {
        if (Key is { } key)
        {
            lane.AddKey(key, requestHash!, resultId);
        }
    }

    protected static string? KeyOf(string kind, string? idempotencyKey) => idempotencyKey is null ? null : $"{kind}:{idempotencyKey}";

    /// <summary>Refuses the command for its content. The caller gets it after the commit: it may rest on uncommitted state.</summary>
    public override void Refuse(Exception refusal) => _refusal = refusal;

    public override void Acknowledge()
    {
        if (_refusal is null)
        {
            _completion.TrySetResult(_result);
        }
        else
        {
            _completion.TrySetException(_refusal);
        }
    }

    public override void Fail(Exception error) => _completion.TrySetException(error);
}

/// <summary>The way of commands to the lane of a partition, here or on another node.</summary>
internal interface ICommandRouter
{
    /// <summary>How often a command follows its lane before its caller gets the error.</summary>
    const int MaxMoves = 8;

    /// <summary>Whether there may be other nodes.</summary>
    bool HasNodes { get; }

    /// <summary>A new UUID version 7.</summary>
    Guid NewId();

    /// <summary>
    /// Without a correlation key any partition will do: takes one of a lane that runs here, so that the start needs no other node. The
    /// idempotency key decides which, so that a request sent twice at once meets itself in one lane.
    /// </summary>
    Guid NewInstanceId(string? correlationKey, string? idempotencyKey);

    /// <summary>Executes a command in the lane of the partition, here or on another node.</summary>
    /// <param name="describe">What the other node is sent.</param>
    Task<T> ExecuteAsync<T>(
        short partition, string kind, LaneCommand<T> command, Func<LaneCommand<T>, RemoteCommand> describe,
        CancellationToken cancellationToken);

    /// <param name="elsewhere">Executes it where the lane does not run here.</param>
    Task<T> ExecuteAsync<T>(
        short partition, LaneCommand<T> command, Func<LaneCommand<T>, CancellationToken, Task<T>> elsewhere,
        CancellationToken cancellationToken);

    /// <summary>Sends a command to the inbox of its partition, which is another node's.</summary>
    /// <returns>The stored row of its idempotency key; null when it has none.</returns>
    Task<IdempotencyRow?> SendAsync(Guid id, short partition, string kind, RemoteCommand command, IdempotencyRow? key);
}
