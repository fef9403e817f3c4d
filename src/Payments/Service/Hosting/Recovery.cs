using MassTransit;
using Payments.Service.Configuration;
using Payments.Service.Messaging;
using Payments.Service.Stores;

namespace Payments.Service.Hosting;

/// <summary>
/// Tells events again that led to nothing: all of them at the start, since an in-process transport ended with the process before; later
/// those that were told longer than <see cref="PaymentSettings.RepeatAfter"/> ago. This closes the gap between storing a change and telling
/// it.
/// </summary>
internal sealed class Recovery(
    IPaymentStore store, IBus bus, EventTeller teller, PaymentSettings settings, TimeProvider timeProvider,
    ILogger<Recovery> logger) : IDisposable
{
    private const int BatchSize = 500;
    private const int ChecksPerInterval = 4;
    private readonly CancellationTokenSource _stopping = new();
    private Task _checking = Task.CompletedTask;

    /// <summary>Tells everything unfinished once, then goes on checking.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await TellOverdueAsync(timeProvider.GetUtcNow(), cancellationToken);
        _checking = CheckAsync(_stopping.Token);
    }

    /// <summary>Returns when nothing is told any more.</summary>
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
                await TryTellOverdueAsync(stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The service stops.
        }
    }

    private async Task TryTellOverdueAsync(CancellationToken cancellationToken)
    {
        try
        {
            await TellOverdueAsync(timeProvider.GetUtcNow() - settings.RepeatAfter, cancellationToken);
        }
        catch (StoreUnavailableException e)
        {
            Log.RecoveryFailed(logger, e);
        }
    }

    private async Task TellOverdueAsync(DateTimeOffset toldBefore, CancellationToken cancellationToken)
    {
        IReadOnlyList<Payment> overdue;
        var told = 0;
        do
        {
            overdue = await store.TakeOverdueAsync(toldBefore, timeProvider.GetUtcNow(), BatchSize, cancellationToken);
            foreach (var payment in overdue)
            {
                await teller.TellAsync(bus, PaymentEvents.Of(payment), cancellationToken);
            }

            told += overdue.Count;
        }
        while (overdue.Count == BatchSize);

        if (told > 0)
        {
            Log.ToldAgain(logger, told);
        }
    }
}
