using Workflow.Abstractions.Notifications;

namespace IntegrationTests.Shared.Faults;

/// <summary>Listens like the inner notifier but loses every notification in both directions.</summary>
public sealed class LostNotifications(INotifier inner) : INotifier
{
    private long _lost;

    public string Description => $"{inner.Description}, every notification lost";
    public NotificationCounts Counts => inner.Counts with { Lost = inner.Counts.Lost + Interlocked.Read(ref _lost) };

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken) =>
        inner.ListenAsync(_ => { }, cancellationToken);
    public void Send(int lane) => Interlocked.Increment(ref _lost);
    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
