using System.Diagnostics;
using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>Settles a created payment.</summary>
internal sealed class PaymentCreatedConsumer(PaymentProgress progress) : IConsumer<PaymentCreated>
{
    public Task Consume(ConsumeContext<PaymentCreated> context) =>
        progress.AdvanceAsync(context, PaymentStatus.Settled, Stopwatch.GetTimestamp());
}
