using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>Issues the receipt of a completed payment.</summary>
internal sealed class PaymentCompletedConsumer(PaymentProgress progress) : IConsumer<PaymentCompleted>
{
    public Task Consume(ConsumeContext<PaymentCompleted> context) => progress.FinishAsync(context);
}
