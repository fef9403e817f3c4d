namespace Workflow.Abstractions.Notifications;

/// <summary>Sends no notifications: owners find messages when they next poll their inboxes.</summary>
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
