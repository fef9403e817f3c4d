using LoadTesting.Core.Analysis.Validity;
using Payments.Service.Stores;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>A payment scenario on a service that has started.</summary>
internal sealed class MeasuredPayment(PaymentScenario scenario, PaymentSubject subject, string profile, string? transport)
    : MeasuredScenario
{
    private static readonly TimeSpan DrainTimeout = TimeSpan.FromMinutes(2);

    public override string FullName { get; } = MeasuredWorkflow.NameOf(scenario.Variant.Name, profile, HostingKind.InProcess, transport);

    public override string Profile => profile;

    public override string Tier => scenario.Variant.Tier;

    public override string? Transport => transport;

    public override int Operations => scenario.Variant.Operations;

    public override IReadOnlyList<LoadSimulation> Load => [scenario.Variant.Load];

    /// <summary>So many at a time that a consumer which is made slow takes its delay once.</summary>
    public override IReadOnlyList<LoadSimulation> WarmUp
    {
        get
        {
            var operations = scenario.Variant.WarmUpOperations;
            return [Simulation.IterationsForConstant(
                scenario.SettledDelay.Max > TimeSpan.Zero ? operations : Math.Min(8, operations), operations)];
        }
    }

    /// <summary>At the published rates a p99 is one or two operations.</summary>
    public override LoadOptions Options => new()
    {
        CompletionTimeout = scenario.EventTimeout,
        HealthLimits = GeneratorHealthLimits.ForSystemInSameProcess with { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash { get; } = LoadTesting.Core.Results.ContentHash.Of(
        [scenario.GetType().Name, $"{PaymentScenario.Amount} {PaymentScenario.Currency}", $"{scenario.SettledDelay}"]);

    public override IReadOnlyList<string> Phases => scenario.Steps;

    /// <summary>A second at full size, which has thousands of operations.</summary>
    public override TimeSpan ListensOnFor => Operations >= 1_000 ? TimeSpan.FromSeconds(1) : TimeSpan.Zero;

    public override IReadOnlyList<string> Notes =>
    [
        scenario.Question,
        .. scenario.Remarks,
        $"Warmed up with {scenario.Variant.WarmUpOperations} operations that are not part of the result.",
        "Latency is from the intended start; steps are from their actual start.",
        "Generator, service and consumers share one process; the API is called over HTTP on the loopback.",
        .. scenario.SettledDelay.Max > TimeSpan.Zero
            ? [$"The consumer of PaymentSettled takes {scenario.SettledDelay.Min.TotalSeconds} to "
                + $"{scenario.SettledDelay.Max.TotalSeconds} s more."]
            : Array.Empty<string>(),
        .. subject.Broker is { } broker ? [broker] : Array.Empty<string>(),
    ];

    /// <summary>
    /// Each operation stands alone, and its scenario says when it is over. The service is idle once every payment has its receipt.
    /// </summary>
    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        Size = operations,
        Timeout = scenario.EventTimeout,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = async (accepted, cancellationToken) =>
        {
            await subject.WaitForReceiptsAsync(scenario.CreatesPayments ? accepted : 0, DrainTimeout, cancellationToken);
            return System.Diagnostics.Stopwatch.GetTimestamp();
        },
    };

    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) =>
        scenario.RunAsync(context, new PaymentOperations(batch, subject.Client));

    /// <summary>From the actual start, where the intended one may have been before it.</summary>
    public override double? ResponseSeconds(ScenarioResult result) =>
        result.Clocks.TryGetValue("service", out var service) ? service.AverageMs / 1_000 : base.ResponseSeconds(result);
}

/// <summary>
/// What the service's store gained over the load: every payment that was acknowledged, and no other, went through all four consumers.
/// </summary>
internal sealed class PaymentAccount(PaymentScenario scenario, PaymentSubject subject) : IRunObserver
{
    /// <summary>
    /// The request's way over HTTP and the event's to the consumer, some tenths of a millisecond, are in the residence and not in the
    /// gauge.
    /// </summary>
    private const double ShortestResidenceMs = 20;

    private (PaymentCounts Counts, double InFlightSeconds, long Requests)? _before;
    private (PaymentCounts Counts, double InFlightSeconds, long Requests)? _after;

    public async Task StartAsync(CancellationToken cancellationToken) => _before = await ReadAsync(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) => _after = await ReadAsync(cancellationToken);

    public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence)
    {
        var (before, after) = (_before!.Value, _after!.Value);
        var ledger = result.Ledger!;
        evidence.Checks.Add(Conservation(before.Counts, after.Counts, scenario.CreatesPayments ? ledger.Started : 0));
        var (law, check) = LawOf(evidence, after.InFlightSeconds - before.InFlightSeconds);
        evidence.LittlesLaw = law;
        evidence.Checks.Add(check);
        var (requests, backend) = (after.Requests - before.Requests, result.Backend ?? new BackendCounters());
        return result with
        {
            Backend = backend with
            {
                Raw = new Dictionary<string, double>(backend.Raw) { ["service.httpRequests"] = requests },
                PerOperation = new Dictionary<string, double?>(backend.PerOperation)
                {
                    ["httpRequests"] = ledger.Completed == 0 ? null : (double)requests / ledger.Completed,
                },
            },
        };
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// The gauge holds a payment from its acceptance until PaymentCompleted was published; so must an operation, to be compared.
    /// </summary>
    private (LittlesLawResult?, CheckResult) LawOf(RunEvidence evidence, double inFlightSeconds)
    {
        var measured = evidence.Load.Scenarios[0];
        var residenceMs = measured.Ok.Count == 0 ? 0 : measured.Ok.Service.AverageMs;
        var whyNot = scenario.Variant.Copies is not null
                ? "as many at a time as the service takes wait before it counts them and after, for the processors that they share with it"
            : !scenario.EndsWithPaymentCompleted
                ? "the service's gauge counts payments until they are completed, and an operation ends before or after that"
            : evidence.Completed < LittlesLaw.MinimumCompletions
                ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {evidence.Completed}"
            : residenceMs < ShortestResidenceMs
                ? $"request and event in transit are no part of the gauge, and a residence of {residenceMs:0.0} ms holds too much of them "
                    + $"({ShortestResidenceMs} ms are needed)"
            : null;
        return whyNot is null
            ? LittlesLaw.Compare(inFlightSeconds, evidence.Completed, residenceMs, measured.Duration)
            : (null, CheckResult.Not(LittlesLaw.CheckName, CheckSubject.System, whyNot));
    }

    private static CheckResult Conservation(PaymentCounts before, PaymentCounts after, long due)
    {
        var made = new PaymentCounts(after.All - before.All, after.Completed - before.Completed, after.Receipts - before.Receipts);
        var wrong = Math.Abs(made.All - due) + Math.Abs(made.Completed - due) + Math.Abs(made.Receipts - due);
        return CheckResult.AtMost(
            "conservation", CheckSubject.System, wrong, 0,
            $"the store has {made.All} payments, {made.Completed} completed and {made.Receipts} with a receipt, where {due} are due");
    }

    private async Task<(PaymentCounts, double, long)> ReadAsync(CancellationToken cancellationToken) =>
        (await subject.CountAsync(cancellationToken), subject.InFlightSeconds, subject.Client.Requests);
}
