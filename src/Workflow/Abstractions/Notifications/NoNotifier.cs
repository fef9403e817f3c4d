namespace Workflow.Abstractions.Notifications;

/// <summary>No notifications: owners find what is in their inboxes when they look next.</summary>
public sealed class NoNotifier : INotifier
{
    private static readonly NotificationCounts None = new(0, 0, 0, 0);

    /// <inheritdoc/>
    public string Description => "none (the store alone)";

    /// <inheritdoc/>
    public NotificationCounts Counts => None;

    /// <inheritdoc/>
    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public void Send(int lane)
    {
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
