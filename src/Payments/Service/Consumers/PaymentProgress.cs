using System.Diagnostics;
using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>
/// Shared by the consumers. A change is stored before its event is published, and an event that is delivered again
/// changes nothing, so that every event has one effect.
/// </summary>
internal sealed class PaymentProgress(
    IPaymentStore store, EventPublisher publisher, InFlightGauge inFlight, TimeProvider timeProvider,
    ILogger<PaymentProgress> logger)
{
    /// <summary>Moves the event's payment on to <paramref name="to"/> and publishes the event.</summary>
    /// <param name="context">The event.</param>
    /// <param name="to">The status after the one that the event reports.</param>
    /// <param name="acceptedTicks">When the consumer got the event.</param>
    /// <exception cref="InvalidOperationException">
    /// The store has no such payment, or the payment has not reached the status of the event.
    /// </exception>
    public async Task AdvanceAsync(ConsumeContext<PaymentEvent> context, PaymentStatus to, long acceptedTicks)
    {
        var executedTicks = Stopwatch.GetTimestamp();
        if (await store.AdvanceAsync(
            context.Message.PaymentId, to, timeProvider.GetUtcNow(), context.CancellationToken) is { } payment)
        {
            var next = PaymentEvents.Of(payment, acceptedTicks, executedTicks, Stopwatch.GetTimestamp());
            await publisher.PublishAsync(context, next, context.CancellationToken);
        }
        else
        {
            await ThrowUnlessDoneAsync(context, p => p.Status >= to);
        }

        if (to == PaymentStatus.Completed)
        {
            inFlight.Leave(context.Message.PaymentId);
        }
    }

    /// <summary>Issues the receipt of a completed payment: the last thing that is done for it.</summary>
    /// <exception cref="InvalidOperationException">There is no such payment, or it is not completed.</exception>
    public async Task FinishAsync(ConsumeContext<PaymentCompleted> context)
    {
        // The payment may be completed even if each attempt failed here, because replies were lost.
        inFlight.Leave(context.Message.PaymentId);
        var receiptId = Guid.CreateVersion7();
        if (!await store.IssueReceiptAsync(
            context.Message.PaymentId, receiptId, timeProvider.GetUtcNow(), context.CancellationToken))
        {
            await ThrowUnlessDoneAsync(context, p => p.ReceiptId is not null);
        }
    }

    private async Task ThrowUnlessDoneAsync(ConsumeContext<PaymentEvent> context, Func<Payment, bool> isDone)
    {
        var (name, id) = (context.Message.GetType().Name, context.Message.PaymentId);
        var payment = await store.FindAsync(id, context.CancellationToken)
            ?? throw new InvalidOperationException(
                $"{name} is about payment {id}, which the store does not hold. Does the event come from a service with "
                    + "another store?");
        if (!isDone(payment))
        {
            throw new InvalidOperationException(
                $"{name} came for payment {id}, whose status is still {payment.Status}.");
        }

        Log.DoneAlready(logger, name, id);
    }
}
