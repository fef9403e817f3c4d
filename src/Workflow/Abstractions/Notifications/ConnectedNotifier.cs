namespace Workflow.Abstractions.Notifications;

/// <summary>The base of notifiers with two loops: one keeps a connection and listens, the other publishes.</summary>
public abstract class ConnectedNotifier : INotifier
{
    private readonly CancellationTokenSource _stop = new();
    private readonly NotificationQueue _queue = new();
    private Task _listening = Task.CompletedTask;
    private Task _sending = Task.CompletedTask;
    private int _listens;

    public abstract string Description { get; }
    public NotificationCounts Counts => _queue.Counts;

    /// <summary>Cancelled when the notifier is disposed.</summary>
    protected CancellationToken Stopping => _stop.Token;

    /// <summary>Wakes a lane. Does nothing before <see cref="ListenAsync"/>.</summary>
    protected Action<int> Wake { get; private set; } = _ => { };

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _listens, 1) != 0)
        {
            throw new InvalidOperationException(
                $"{Description} is listened to already. Make another one for another engine.");
        }

        Wake = wake;
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _listening = Task.Run(() => KeepListeningAsync(() => first.TrySetResult()), CancellationToken.None);
        _ = _listening.ContinueWith(_ => first.TrySetResult(), TaskScheduler.Default);
        _sending = Task.Run(() => _queue.RunAsync(TryPublishAsync, Stopping), CancellationToken.None);
        return first.Task.WaitAsync(cancellationToken);
    }

    public void Send(int lane) => _queue.Send(lane);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _queue.Dispose();
        await CloseAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>Listens until <see cref="Stopping"/> is cancelled, and reconnects after a lost connection.</summary>
    /// <param name="tried">Call it when the first connection listens, or failed.</param>
    protected abstract Task KeepListeningAsync(Action tried);

    /// <summary>Publishes one notification.</summary>
    /// <returns>False if the medium did not accept it. Throws only if <see cref="Stopping"/> is cancelled.</returns>
    protected abstract Task<bool> TryPublishAsync(WakeMessage message);

    /// <summary>Closes what the loops have left open.</summary>
    protected virtual ValueTask CloseAsync() => ValueTask.CompletedTask;

    /// <summary>Wakes the lanes of a received notification, unless this node sent it.</summary>
    protected void Receive(WakeMessage message) => _queue.Receive(message, Wake);
}
