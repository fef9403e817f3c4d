using Payments.Contracts;
using Payments.Contracts.Events;

namespace PerformanceTests.Scenarios;

/// <summary>
/// A client that cannot hear events asks for the status until it says completed. The event is awaited beside it, to
/// show what that adds.
/// </summary>
internal sealed class PaymentPollingScenario(PaymentVariant variant) : PaymentScenario(variant)
{
    public static readonly PaymentVariant Nightly =
        PaymentVariant.PerSecond("payment-polling", TierNames.Nightly, 1, 30);

    public static readonly PaymentVariant FullSize =
        PaymentVariant.PerSecond("payment-polling-xl", TierNames.Nightly, 50, 20) with { WarmUpOperations = 512 };

    public static readonly PaymentVariant Smoke = PaymentVariant.Small("payment-polling-smoke", 20);

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    public override string Question =>
        "What does asking for the status cost, in requests and in time, beside listening?";

    public override IReadOnlyList<string> Phases { get; } =
        [PaymentStepNames.Create, PaymentStepNames.Poll, PaymentStepNames.SeenLate];

    public override IReadOnlyList<string> Awaited { get; } = [nameof(PaymentCompleted)];

    public override IReadOnlyList<string> Remarks =>
        [$"The status is asked for every {Interval.TotalMilliseconds:0} ms; perOperation.httpRequests counts the "
            + "creation and every question."];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, PaymentClient client)
    {
        var operation = batch.Begin(context.IntendedTimestamp);
        var completed = batch.Expect(nameof(PaymentCompleted), operation);
        var created = await CreateAsync(context, batch, client, operation, operation.Key, completed);
        var seen = 0L;
        await Step.Run(PaymentStepNames.Poll, context, async () =>
        {
            // To sleep and ask again is the subject here, not the instrument.
            while ((await client.FindAsync(created.Payload, context.ScenarioCancellationToken)).Status
                != PaymentStatus.Completed)
            {
                await Task.Delay(Interval, context.ScenarioCancellationToken);
            }

            seen = Stopwatch.GetTimestamp();
            return (IResponse)Response.Ok(endTimestamp: seen);
        });
        var arrival = await completed.Arrival;
        if (arrival.IsLost)
        {
            return Lost(nameof(PaymentCompleted), operation.Key);
        }

        context.RecordStep(PaymentStepNames.SeenLate, Math.Min(seen, arrival.Timestamp), seen, isOk: true);
        batch.Complete(operation, seen);
        return Response.Ok(endTimestamp: seen);
    }
}
