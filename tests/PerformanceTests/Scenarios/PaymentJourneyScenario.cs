using LoadTesting.Core.Load.Events;
using Payments.Contracts.Events;

namespace PerformanceTests.Scenarios;

/// <summary>A payment from the request to its last event, each stage timed by its own event.</summary>
internal sealed class PaymentJourneyScenario(PaymentVariant variant) : PaymentScenario(variant)
{
    /// <summary>As published: 1 a second for 30 s.</summary>
    public static readonly PaymentVariant Nightly =
        PaymentVariant.PerSecond("payment-journey", TierNames.Nightly, 1, 30);

    public static readonly PaymentVariant FullSize =
        PaymentVariant.PerSecond("payment-journey-xl", TierNames.Nightly, 100, 20) with { WarmUpOperations = 512 };

    /// <summary>
    /// As many as the service takes: its processor decides, and not how fast a machine that mostly waits wakes up.
    /// </summary>
    public static readonly PaymentVariant Parallel =
        PaymentVariant.AtATime("payment-journey-parallel-xl", TierNames.Nightly, copies: 16, operations: 15_000) with
        {
            WarmUpOperations = 8_192,
        };

    /// <summary>
    /// With a consumer that takes half a second and more: long enough to compare the service's own gauge with the
    /// client.
    /// </summary>
    public static readonly PaymentVariant SlowFullSize =
        PaymentVariant.PerSecond("payment-journey-slow-settlement-xl", TierNames.Nightly, 50, 24) with
        {
            WarmUpOperations = 64,
        };

    public static readonly PaymentVariant Smoke = PaymentVariant.Small("payment-journey-smoke", 20);

    private static readonly (string Event, string Step)[] Stages =
    [
        (nameof(PaymentInitiated), PaymentStepNames.Initiated),
        (nameof(PaymentCreated), PaymentStepNames.Created),
        (nameof(PaymentSettled), PaymentStepNames.Settled),
        (nameof(PaymentCompleted), PaymentStepNames.Completed),
    ];

    public override string Question =>
        "How long does a payment take from the request to its last event, and which stage takes it?";

    public override IReadOnlyList<string> Phases { get; } = [PaymentStepNames.Create, .. Stages.Select(s => s.Step)];

    public override IReadOnlyList<string> Awaited { get; } = [.. Stages.Select(s => s.Event)];

    public override IReadOnlyList<string> Remarks =>
    [
        "Each payment_* step is the time from the event before it to its own, payment_initiated from the leaving of "
            + "the request, within which create_payment_request lies: the four add up to the journey.",
    ];

    public override bool EndsWithPaymentCompleted => true;

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, PaymentClient client)
    {
        var operation = batch.Begin(context.IntendedTimestamp);
        EventWait[] waits = [.. Stages.Select(stage => batch.Expect(stage.Event, operation))];
        var previous = Stopwatch.GetTimestamp();
        await CreateAsync(context, batch, client, operation, operation.Key, waits);
        foreach (var (wait, stage) in waits.Zip(Stages))
        {
            var arrival = await wait.Arrival;
            context.RecordStep(stage.Step, previous, arrival.Timestamp, isOk: !arrival.IsLost);
            if (arrival.IsLost)
            {
                return Lost(stage.Event, operation.Key);
            }

            previous = arrival.Timestamp;
        }

        batch.Complete(operation, previous);
        return Response.Ok(endTimestamp: previous);
    }
}
