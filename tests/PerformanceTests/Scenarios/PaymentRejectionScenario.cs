namespace PerformanceTests.Scenarios;

/// <summary>The unhappy path: an invalid amount must be refused, in time, by name, and without effect.</summary>
internal sealed class PaymentRejectionScenario(PaymentVariant variant) : PaymentScenario(variant)
{
    private const long InvalidAmount = -1;

    public static readonly PaymentVariant Nightly =
        PaymentVariant.PerSecond("payment-rejection", TierNames.Nightly, 3, 20);

    public static readonly PaymentVariant FullSize =
        PaymentVariant.PerSecond("payment-rejection-xl", TierNames.Nightly, 300, 10) with { WarmUpOperations = 512 };

    public static readonly PaymentVariant Smoke = PaymentVariant.Small("payment-rejection-smoke", 30);

    public override string Question => "How long does it take until the answer says that a payment is invalid?";

    public override IReadOnlyList<string> Phases { get; } = [PaymentStepNames.Reject];

    public override bool CreatesPayments => false;

    public override IReadOnlyList<string> Remarks =>
        ["An operation is a request answered with 400 and the value that is wrong: that is its success, and started "
            + "and completed count it."];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, PaymentClient client)
    {
        var operation = batch.Begin(context.IntendedTimestamp);
        var answered = await Step.Run(PaymentStepNames.Reject, context, async () =>
        {
            var answer = await batch.SendAsync(
                operation,
                () => client.CreateAsync(InvalidAmount, Currency, null, context.ScenarioCancellationToken),
                IsExpected);
            return (IResponse)(IsExpected(answer)
                ? Response.Ok($"{answer.Status}")
                : Response.Fail($"{answer.Status}",
                    $"A payment of {InvalidAmount} is due a 400 that names the amount, and got {answer.Status} "
                        + answer.Detail));
        });
        batch.Complete(operation, Stopwatch.GetTimestamp());
        return answered;
    }

    private static bool IsExpected(PaymentAnswer answer) =>
        answer.Status == 400 && answer.Detail.Contains($"{InvalidAmount}", StringComparison.Ordinal);
}
