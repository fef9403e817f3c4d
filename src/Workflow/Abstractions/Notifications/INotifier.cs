namespace Workflow.Abstractions.Notifications;

/// <summary>
/// Notifies other nodes that a lane has messages in its inbox. A notification is a hint: it may be merged with others,
/// arrive late, arrive twice or be lost, because owners also poll their inboxes. The caller sends a notification only
/// after the commit. An implementation keeps at most one waiting notification per lane and never blocks or throws: if
/// the medium is unavailable, it counts the notification as lost.
/// </summary>
public interface INotifier : IAsyncDisposable
{
    /// <summary>Describes the medium for people: kind, server, channel. Never contains a password.</summary>
    string Description { get; }

    NotificationCounts Counts { get; }

    /// <summary>
    /// Begins to listen; called once. Returns when the medium listens, or at once if it is unavailable, in which case
    /// connecting continues in the background.
    /// </summary>
    /// <param name="wake">
    /// Called from any thread with the index of a lane for each received notification, possibly including those of this
    /// node. It returns at once and does not throw. Called with <see cref="EveryLane"/> after an interrupted
    /// connection, when notifications may have been missed.
    /// </param>
    Task ListenAsync(Action<int> wake, CancellationToken cancellationToken);

    /// <summary>
    /// Notifies that the lane has messages in its inbox. Returns at once. May be called from any thread, but not after
    /// disposal.
    /// </summary>
    void Send(int lane);

    /// <summary>Means all lanes in place of the index of one lane.</summary>
    const int EveryLane = -1;
}
