using System.Diagnostics;
using LoadTesting.Core.Load;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Payments;

/// <summary>The request alone; what it sets off runs beside it and is not waited for.</summary>
internal sealed class PaymentApiScenario(PaymentForm form) : PaymentScenario(form)
{
    /// <summary>The seed's: 3 a second for 60 s.</summary>
    public static readonly PaymentForm Nightly = PaymentForm.PerSecond("payment-api", TierNames.Nightly, 3, 60);

    public static readonly PaymentForm FullSize = PaymentForm.PerSecond("payment-api-xl", TierNames.Nightly, 100, 20) with { WarmUpOperations = 512 };

    public static readonly PaymentForm Smoke = PaymentForm.PerSecond("payment-api-smoke", TierNames.Smoke, 30, 1);

    public override string Question => "How long does the customer wait for the answer?";

    public override IReadOnlyList<string> Steps { get; } = [PaymentStepNames.Create];

    public override IReadOnlyList<string> Remarks => ["An operation is a request answered with 201; its payment's consumers run beside the next ones."];

    public override async Task<IResponse> RunAsync(IScenarioContext context, PaymentRun run)
    {
        var created = await CreateAsync(context, run, correlationKey: null);
        run.Complete(context, Stopwatch.GetTimestamp());
        return created;
    }
}
