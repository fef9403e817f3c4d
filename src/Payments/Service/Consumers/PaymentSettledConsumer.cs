using System.Diagnostics;
using Payments.Contracts.Events;

namespace Payments.Service.Consumers;

/// <summary>
/// Completes a settled payment, after the delay that is configured: the work of an outlier, such as a slow webhook.
/// </summary>
internal sealed class PaymentSettledConsumer(
    PaymentProgress progress, PaymentSettings settings, TimeProvider timeProvider)
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
            return settings.SettledMinDelay
                + ((settings.SettledMaxDelay - settings.SettledMinDelay) * _random.NextDouble());
        }
    }
}
