using System.Diagnostics;
using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>Creates an initiated payment with the payment scheme.</summary>
internal sealed class PaymentInitiatedConsumer(PaymentProgress progress) : IConsumer<PaymentInitiated>
{
    public Task Consume(ConsumeContext<PaymentInitiated> context) =>
        progress.AdvanceAsync(context, PaymentStatus.Created, Stopwatch.GetTimestamp());
}
