namespace Workflow.Contracts.Signals;

/// <summary>Answer of both signal routes: the signal is durable.</summary>
/// <param name="Id">The signal's id.</param>
/// <param name="Delivered">True when a waiting instance took it in the same commit; false when it was buffered or is on its way.</param>
/// <param name="Duplicate">True when an earlier signal with the same idempotency key was accepted.</param>
/// <param name="DeadLetterId">Set when it could not be applied: the dead letter that keeps it until it is replayed. Absent otherwise.</param>
public sealed record SignalAccepted(Guid Id, bool Delivered, bool Duplicate, Guid? DeadLetterId = null);
