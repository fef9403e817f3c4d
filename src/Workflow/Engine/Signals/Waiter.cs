namespace Workflow.Engine.Signals;

/// <summary>Somebody who waits for a (name, key).</summary>
/// <param name="WaitId">The wait.</param>
/// <param name="InstanceId">The waiting instance.</param>
/// <param name="Position">When the wait began; the oldest is served first.</param>
/// <param name="Subscribed">True when the instance belongs to another partition and a durable subscription stands for it here.</param>
internal sealed record Waiter(Guid WaitId, Guid InstanceId, long Position, bool Subscribed);
