namespace Workflow.Contracts.Signals;

/// <summary>Answer of both signal routes: the signal is durable.</summary>
/// <param name="Delivered">
/// True when a waiting instance took it in the same commit; false when it was buffered or forwarded.
/// </param>
/// <param name="Duplicate">True when an earlier signal with the same idempotency key was accepted.</param>
/// <param name="DeadLetterId">
/// Set when it could not be applied: the dead letter that keeps it until it is replayed. Absent otherwise.
/// </param>
/// <param name="Kept">
/// True while the signal is buffered. False of a duplicate whose signal has been taken meanwhile, or has expired.
/// Absent when it was delivered, and of a duplicate that another node keeps.
/// </param>
/// <param name="KeptUntil">
/// When a kept signal expires (UTC): an hour after it was accepted or became due. Absent where it is kept until it is
/// taken: for a receiver of the host, and in a dead letter.
/// </param>
/// <param name="Unreceived">
/// True when no registered definition and no receiver of the service takes signals of the name: it may be misspelt. A
/// definition that is registered while the signal is kept takes it. Absent otherwise.
/// </param>
public sealed record SignalAccepted(
    Guid Id, bool Delivered, bool Duplicate, Guid? DeadLetterId = null, bool? Kept = null,
    DateTimeOffset? KeptUntil = null,
    bool? Unreceived = null);
