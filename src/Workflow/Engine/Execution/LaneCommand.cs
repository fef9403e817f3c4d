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
