using MassTransit;
using Payments.Contracts.Events;
using Payments.Service.Consumers;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// Waits until the service's last consumer has done its work, without asking the store, whose counters are being
/// measured. An event that comes twice counts once.
/// </summary>
internal sealed class ReceiptWatch : IReceiveObserver, IDisposable
{
    private readonly SemaphoreSlim _receipts = new(0);
    private readonly ConcurrentDictionary<Guid, byte> _seen = [];

    /// <summary>Waits for this many receipts since the last wait.</summary>
    /// <returns>How many came in time.</returns>
    public async Task<long> WaitAsync(long count, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(timeout);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var seen = 0L;
        try
        {
            for (; seen < count; seen++)
            {
                await _receipts.WaitAsync(either.Token);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // Too late for the others: the ledger says how many there are.
        }

        return seen;
    }

    public Task PreReceive(ReceiveContext context) => Task.CompletedTask;

    public Task PostReceive(ReceiveContext context) => Task.CompletedTask;

    public Task PostConsume<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType)
        where T : class
    {
        if (context.Message is PaymentCompleted completed
            && consumerType.EndsWith(nameof(PaymentCompletedConsumer), StringComparison.Ordinal)
            && _seen.TryAdd(completed.PaymentId, 0))
        {
            _receipts.Release();
        }

        return Task.CompletedTask;
    }

    public Task ConsumeFault<T>(ConsumeContext<T> context, TimeSpan duration, string consumerType, Exception exception)
        where T : class => Task.CompletedTask;

    public Task ReceiveFault(ReceiveContext context, Exception exception) => Task.CompletedTask;

    public void Dispose() => _receipts.Dispose();
}
