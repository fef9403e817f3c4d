namespace Workflow.Abstractions.Notifications;

/// <summary>
/// Notifies other nodes that a lane has something in its inbox. A notification is advice: it may be merged with others, come late, come
/// twice or be lost, and nothing is lost with it, since owners look into their inboxes at an interval of their own. An implementer sends
/// only what was committed before (the caller sees to that), keeps at most one notification a lane waiting, and never blocks or throws: a
/// medium that is away costs a count.
/// </summary>
public interface INotifier : IAsyncDisposable
{
    /// <summary>Names the medium for people: kind, server, channel; never a password.</summary>
    string Description { get; }

    NotificationCounts Counts { get; }

    /// <summary>Begins to listen, once. Returns when the medium listens, or at once where it is away and connecting goes on.</summary>
    /// <param name="wake">Called with the number of a lane for each notification received, from any thread, own notifications included or
    /// not; it returns at once and does not throw. <see cref="EveryLane"/> after a time without connection, when notifications may have
    /// been missed.</param>
    Task ListenAsync(Action<int> wake, CancellationToken cancellationToken);

    /// <summary>Notifies that the lane has something in its inbox. Returns at once, from any thread; not after disposal.</summary>
    void Send(int lane);

    /// <summary>Stands for all lanes where a number of one is expected.</summary>
    const int EveryLane = -1;
}

/// <summary>No notifications: owners find what is in their inboxes when they look next.</summary>
public sealed class NoNotifier : INotifier
{
    private static readonly NotificationCounts None = new(0, 0, 0, 0);

    public string Description => "none (the store alone)";
    public NotificationCounts Counts => None;

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken) => Task.CompletedTask;

    public void Send(int lane)
    {
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
