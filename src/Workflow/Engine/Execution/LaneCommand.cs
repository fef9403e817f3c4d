namespace Workflow.Engine.Execution;

/// <summary>Something a lane is asked to do. It is applied in memory, acknowledged after the commit, or failed; each exactly once.</summary>
internal abstract class LaneCommand
{
    /// <summary>Monotonic ticks of acceptance.</summary>
    public long AcceptedTicks { get; set; }

    public DateTimeOffset AcceptedUtc { get; set; }

    /// <summary>How often memory was rebuilt while this command was on its way.</summary>
    public int Attempts { get; set; }

    /// <summary>The idempotency key with its kind, or null.</summary>
    public virtual string? Key => null;

    /// <summary>What it is, for messages.</summary>
    public abstract string Description { get; }

    /// <summary>Whether somebody waits for its answer, and may be told to ask again.</summary>
    public virtual bool IsAwaited => false;

    /// <summary>Whether it becomes a dead letter when it can never be applied; else its caller is told, and nothing was accepted.</summary>
    public virtual bool CanBePutAside => false;

    /// <summary>The signal, wait or message that it is about; empty where there is none.</summary>
    public virtual Guid SubjectId => Guid.Empty;

    public abstract void Apply(LaneExecutor executor);

    /// <summary>Becomes a dead letter instead of being applied, on memory as it is committed.</summary>
    public virtual void PutAside(LaneExecutor executor, Guid letterId, string reason, int attempts) =>
        throw new InvalidOperationException($"The {Description} cannot be put aside.");

    /// <summary>What its caller is to be told, as JSON, once it was applied; null where nobody waits.</summary>
    public virtual string? Reply => null;

    /// <summary>Refuses it instead of applying it.</summary>
    public virtual void Decline(Exception refusal)
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
    private readonly TaskCompletionSource<T> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Exception? _refusal;
    private T _result = default!;

    public override bool IsAwaited => true;

    public Task<T> Completion => _completion.Task;

    public override string Reply => (_refusal is null ? RemoteReply.Of(_result) : RemoteReply.Of(_refusal)).ToJson();

    public override void Decline(Exception refusal) => Refuse(refusal);

    /// <summary>Sets what the caller is told after the commit.</summary>
    protected void Succeed(T result)
    {
        _result = result;
        _refusal = null;
    }

    /// <summary>Refuses the command for its content; told after the commit, since the refusal may rest on uncommitted state.</summary>
    protected void Refuse(Exception refusal) => _refusal = refusal;

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
