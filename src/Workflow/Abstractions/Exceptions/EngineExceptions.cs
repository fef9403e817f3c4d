namespace Workflow.Abstractions.Exceptions;

/// <summary>Another engine owns the store.</summary>
public sealed class EngineAlreadyRunningException(string store, string holder) : WorkflowException(
    $"Another engine is running on {store} ({holder}). Stop it, or give this one a store of its own: this kind of store cannot be shared.")
{
    public string Holder { get; } = holder;

    public override string Code => "engine-already-running";
}

/// <summary>The engine is stopping or has stopped.</summary>
public sealed class EngineStoppedException(string what)
    : WorkflowException($"The engine is stopping; {what} was not accepted. Send it to a running engine.")
{
    public override string Code => "engine-stopped";
}

/// <summary>A node works with another number of lanes than the live nodes of the store.</summary>
public sealed class LaneCountMismatchException(int wanted, int current, string nodes) : WorkflowException(
    $"This node is set to {wanted} lanes; the live nodes ({nodes}) work with {current}. "
    + $"Set Lanes to {current}, or stop them first: the only node may change the number.")
{
    public int Current { get; } = current;

    public override string Code => "lane-count-mismatch";
}

/// <summary>A lane belongs to another node now; nothing of the command was or will be committed here.</summary>
public sealed class LaneMovedException(int lane, Exception? inner = null)
    : WorkflowException($"Lane {lane} has moved to another node; nothing of the command was committed. Send it again.", inner)
{
    public override string Code => "lane-moved";
}

/// <summary>The store cannot be reached, or was lost while a command was being committed.</summary>
public sealed class StoreUnavailableException(string message, bool outcomeUnknown, Exception? inner = null)
    : WorkflowException(message, inner)
{
    /// <summary>True when the command may or may not have been committed: repeat it with the same idempotency key.</summary>
    public bool OutcomeUnknown { get; } = outcomeUnknown;

    public override string Code => "store-unavailable";
}

/// <summary>What carries integration events out of the engine cannot be reached, or refuses; it is named without a secret.</summary>
public sealed class EventTransportException(string message, Exception? inner = null) : WorkflowException(message, inner)
{
    public override string Code => "event-transport-unavailable";
}

/// <summary>
/// Thrown by an activity that would fail in the same way again, e.g. on input it cannot take: the step fails at once, whatever attempts its
/// retry policy leaves. Every other exception of an activity is repeated.
/// </summary>
public sealed class NonRetryableActivityException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>
    /// What kind of error it is, for the step's <c>errorResult</c>: 1 to 128 characters. Null, the default, and what is no such text is
    /// none.
    /// </summary>
    public string? Code { get; init; }
}
