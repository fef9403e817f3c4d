namespace Workflow.Engine.Commands;

/// <summary>
/// A request to a lane. It is applied in memory, then acknowledged after the commit or failed, exactly once.
/// </summary>
internal abstract class LaneCommand
{
    /// <summary>When the command was accepted, in monotonic ticks.</summary>
    public long AcceptedTicks { get; set; }

    public DateTimeOffset AcceptedUtc { get; set; }

    /// <summary>The trace context of the caller, as a W3C <c>traceparent</c>; null if it is not recorded.</summary>
    public string? Trace { get; set; }

    /// <summary>The approximate number of JSON characters that the command holds while it is pending.</summary>
    public virtual long Size => 0;

    /// <summary>How often the lane has reloaded while the command was pending.</summary>
    public int Attempts { get; set; }

    /// <summary>The idempotency key with its kind; null if there is none.</summary>
    public virtual string? Key => null;

    /// <summary>
    /// Whether the key was generated for this command and the command was not applied yet. Then the commit checks the
    /// key, without a look-up.
    /// </summary>
    public virtual bool IsKeyNew => false;

    /// <summary>Whether commands of other lanes with the same key wait for the outcome of this one.</summary>
    public bool HoldsKey { get; set; }

    /// <summary>How often the command was repeated because it needed a dormant instance.</summary>
    public int StoreReads { get; set; }

    /// <summary>
    /// Notes which instances and slots the command will need, so that one read brings those of many commands. A command
    /// that notes nothing, or too little, is repeated when it finds out.
    /// </summary>
    public virtual void NoteNeeds(LaneState lane)
    {
    }

    public abstract string Description { get; }

    /// <summary>Whether a caller waits for the result and can repeat the command.</summary>
    public virtual bool IsAwaited => false;

    /// <summary>
    /// Whether the command becomes a dead letter if it cannot be applied. Otherwise it fails, and nothing was accepted.
    /// </summary>
    public virtual bool CanDeadLetter => false;

    /// <summary>The signal, wait or message that the command is about; empty if there is none.</summary>
    public virtual Guid SubjectId => Guid.Empty;

    public abstract void Apply(LaneState lane);

    public virtual void DeadLetter(LaneState lane, Guid deadLetterId, string reason, int attempts) =>
        throw new InvalidOperationException($"The {Description} cannot be dead-lettered.");

    /// <summary>
    /// The reply for a caller on another node, as JSON, after the command was applied; null if no caller waits.
    /// </summary>
    public virtual string? Reply => null;

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

/// <summary>A command whose caller waits for its result.</summary>
internal abstract class LaneCommand<T> : LaneCommand
{
    private TaskCompletionSource<T> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Exception? _refusal;
    private T _result = default!;

    public override bool IsAwaited => true;
    public Task<T> Completion => _completion.Task;

    /// <summary>
    /// Cancels <see cref="Completion"/> when the caller stops waiting. The command is executed nevertheless. The caller
    /// disposes the registration when <see cref="Completion"/> has ended. Unlike
    /// <see cref="Task.WaitAsync(CancellationToken)"/>, this method allocates nothing for each command.
    /// </summary>
    public CancellationTokenRegistration CancelCompletionWith(CancellationToken cancellationToken) =>
        cancellationToken.UnsafeRegister(
            static (completion, token) => ((TaskCompletionSource<T>)completion!).TrySetCanceled(token), _completion);

    /// <summary>Copies the command for a lane that has moved. Nothing of the original was committed.</summary>
    public LaneCommand<T> Copy()
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

    /// <summary>
    /// Whether a request with this key was applied before. The same request succeeds again; a different one is refused.
    /// </summary>
    /// <param name="again">Creates the result of the repeated request.</param>
    protected bool IsRepeated(LaneState lane, string? requestHash, Func<IdempotencyRow, T> again)
    {
        if (Key is not { } key || lane.Keys.Find(key) is not { } known)
        {
            return false;
        }

        if (RequestHash.Matches(known.RequestHash, requestHash))
        {
            Succeed(again(known));
        }
        else
        {
            Refuse(new IdempotencyConflictException(key[(key.IndexOf(':', StringComparison.Ordinal) + 1)..]));
        }

        return true;
    }

    /// <summary>Stores the key, if there is one, so that the command is not applied again.</summary>
    protected void StoreKey(LaneState lane, string? requestHash, Guid resultId)
    {
        if (Key is { } key)
        {
            lane.AddKey(key, RequestHash.Stored(requestHash!), resultId);
        }
    }

    protected static string? KeyOf(string kind, string? idempotencyKey) =>
        idempotencyKey is null ? null : $"{kind}:{idempotencyKey}";

    /// <summary>
    /// Refuses the command because of its content. The caller gets the refusal after the commit, because it may depend
    /// on uncommitted state.
    /// </summary>
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
