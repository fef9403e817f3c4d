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

    public abstract void Apply(LaneExecutor executor);

    public virtual void Acknowledge()
    {
    }

    public virtual void Fail(Exception error)
    {
    }
}
