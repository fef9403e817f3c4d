namespace Payments.Service.Hosting;

/// <summary>
/// Publishes events again that led to nothing: all of them at the start, since an in-process transport ended with the
/// process before; later those that were published longer than <see cref="PaymentSettings.RepeatAfter"/> ago. This
/// closes the gap between storing a change and publishing it.
/// </summary>
internal sealed class Recovery(
    IPaymentStore store, IBus bus, EventPublisher publisher, PaymentSettings settings, TimeProvider timeProvider,
    ILogger<Recovery> logger) : IDisposable
{
    private const int BatchSize = 500;
    private const int ChecksPerInterval = 4;
    private readonly CancellationTokenSource _stopping = new();
    private Task _checking = Task.CompletedTask;

    /// <summary>Publishes everything unfinished once, then goes on checking.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await PublishOverdueAsync(timeProvider.GetUtcNow(), cancellationToken);
        _checking = CheckAsync(_stopping.Token);
    }

    /// <summary>Returns when nothing is published any more.</summary>
    public async Task StopAsync()
    {
        await _stopping.CancelAsync();
        await _checking;
    }

    public void Dispose() => _stopping.Dispose();

    private async Task CheckAsync(CancellationToken stopping)
    {
        using var timer = new PeriodicTimer(settings.RepeatAfter / ChecksPerInterval, timeProvider);
        try
        {
            while (await timer.WaitForNextTickAsync(stopping))
            {
                await TryPublishOverdueAsync(stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The service stops.
        }
    }

    private async Task TryPublishOverdueAsync(CancellationToken cancellationToken)
    {
        try
        {
            await PublishOverdueAsync(timeProvider.GetUtcNow() - settings.RepeatAfter, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // Any error, e.g. a server that is read-only for a while, must not stop the recovery.
            Log.RecoveryFailed(logger, e);
        }
    }

    private async Task PublishOverdueAsync(DateTimeOffset publishedBefore, CancellationToken cancellationToken)
    {
        IReadOnlyList<Payment> overdue;
        var published = 0;
        do
        {
            overdue =
                await store.TakeOverdueAsync(publishedBefore, timeProvider.GetUtcNow(), BatchSize, cancellationToken);
            foreach (var payment in overdue)
            {
                await publisher.PublishAsync(bus, PaymentEvents.Of(payment), cancellationToken);
            }

            published += overdue.Count;
        }
        while (overdue.Count == BatchSize);

        if (published > 0)
        {
            Log.PublishedAgain(logger, published);
        }
    }
}
