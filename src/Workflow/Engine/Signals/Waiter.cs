namespace Workflow.Engine.Signals;

/// <summary>A wait for a name and correlation key.</summary>
/// <param name="Position">When the wait began. The oldest is served first.</param>
/// <param name="Subscribed">True if the instance belongs to another partition and a durable subscription represents it
/// here.</param>
internal sealed record Waiter(Guid WaitId, Guid InstanceId, long Position, bool Subscribed);
