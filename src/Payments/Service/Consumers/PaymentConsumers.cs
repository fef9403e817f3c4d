using System.Diagnostics;
using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>Creates an initiated payment with the payment scheme.</summary>
internal sealed class PaymentInitiatedConsumer(PaymentProgress progress) : IConsumer<PaymentInitiated>
{
    public Task Consume(ConsumeContext<PaymentInitiated> context) =>
        progress.AdvanceAsync(context, PaymentStatus.Created, Stopwatch.GetTimestamp());
}

/// <summary>Settles a created payment.</summary>
internal sealed class PaymentCreatedConsumer(PaymentProgress progress) : IConsumer<PaymentCreated>
{
    public Task Consume(ConsumeContext<PaymentCreated> context) =>
        progress.AdvanceAsync(context, PaymentStatus.Settled, Stopwatch.GetTimestamp());
}

/// <summary>Completes a settled payment, after the delay that is configured: the work of an outlier, such as a slow webhook.</summary>
internal sealed class PaymentSettledConsumer(PaymentProgress progress, PaymentSettings settings, TimeProvider timeProvider)
    : IConsumer<PaymentSettled>
{
    private readonly Random _random = new(settings.SettledSeed);

    public async Task Consume(ConsumeContext<PaymentSettled> context)
    {
        var acceptedTicks = Stopwatch.GetTimestamp();
        if (settings.SettledMaxDelay > TimeSpan.Zero)
        {
            await Task.Delay(NextDelay(), timeProvider, context.CancellationToken);
        }

        await progress.AdvanceAsync(context, PaymentStatus.Completed, acceptedTicks);
    }

    private TimeSpan NextDelay()
    {
        lock (_random)
        {
            return settings.SettledMinDelay + ((settings.SettledMaxDelay - settings.SettledMinDelay) * _random.NextDouble());
        }
    }
}

/// <summary>Issues the receipt of a completed payment.</summary>
internal sealed class PaymentCompletedConsumer(PaymentProgress progress) : IConsumer<PaymentCompleted>
{
    public Task Consume(ConsumeContext<PaymentCompleted> context) => progress.FinishAsync(context);
}
