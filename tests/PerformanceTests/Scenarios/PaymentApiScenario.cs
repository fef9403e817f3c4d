namespace PerformanceTests.Scenarios;

/// <summary>The request alone; what it sets off runs beside it and is not waited for.</summary>
internal sealed class PaymentApiScenario(PaymentVariant variant) : PaymentScenario(variant)
{
    /// <summary>As published: 3 a second for 60 s.</summary>
    public static readonly PaymentVariant Nightly = PaymentVariant.PerSecond("payment-api", TierNames.Nightly, 3, 60);

    public static readonly PaymentVariant FullSize =
        PaymentVariant.PerSecond("payment-api-xl", TierNames.Nightly, 100, 20) with { WarmUpOperations = 512 };

    public static readonly PaymentVariant Smoke = PaymentVariant.Small("payment-api-smoke", 30);

    public override string Question => "How long does the customer wait for the answer?";

    public override IReadOnlyList<string> Phases { get; } = [PaymentStepNames.Create];

    public override IReadOnlyList<string> Remarks =>
        ["An operation is a request answered with 201; its payment's consumers run beside the next ones."];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, PaymentClient client)
    {
        var operation = batch.Begin(context.IntendedTimestamp);
        var created = await CreateAsync(context, batch, client, operation, correlationKey: null);
        batch.Complete(operation, Stopwatch.GetTimestamp());
        return created;
    }
}
