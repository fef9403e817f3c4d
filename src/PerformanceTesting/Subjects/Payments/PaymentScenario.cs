using LoadTesting.Core.Load.Events;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// A scenario of the payment service: its question, load and pass rule. It is measured on one service at a time, to
/// which <see cref="Attach"/> connects it. Rates and durations of the published scenarios never change.
/// </summary>
internal abstract class PaymentScenario(PaymentVariant variant) : MeasuredScenario
{
    public const long Amount = 100_000;
    public const string Currency = "GBP";

    private static readonly TimeSpan DrainTimeout = TimeSpan.FromMinutes(2);

    private PaymentSubject? _subject;
    private string _profile = "";

    public PaymentVariant Variant => variant;

    /// <summary>The question that the scenario answers.</summary>
    public abstract string Question { get; }

    /// <summary>Events that an operation waits for, by correlation key.</summary>
    public virtual IReadOnlyList<string> Awaited => [];

    /// <summary>Whether every operation makes a payment.</summary>
    public virtual bool CreatesPayments => true;

    /// <summary>
    /// Whether an operation lasts from the request to PaymentCompleted: as long as the service's own gauge counts it.
    /// </summary>
    public virtual bool EndsWithPaymentCompleted => false;

    /// <summary>What the consumer of PaymentSettled takes on top, at least and at most. Default: nothing.</summary>
    public (TimeSpan Min, TimeSpan Max) SettledDelay { get; init; }

    /// <summary>How long an event may take to come; then it is lost. Default 30 s, and the delay.</summary>
    public TimeSpan EventTimeout => TimeSpan.FromSeconds(30) + SettledDelay.Max;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    public override string FullName => NameOf(variant.Name, Profile, HostingKind.InProcess, Transport);

    public override string Profile => _profile;

    public override string Tier => variant.Tier;

    public override string? Transport => Subject.Broker is null ? null : WorkflowSubject.BrokerTransport;

    public override int LoadOperations => variant.Operations;

    public override IReadOnlyList<LoadSimulation> Load => [variant.Load];

    /// <summary>All at a time with a slow consumer, so that its delay is waited for once.</summary>
    public override IReadOnlyList<LoadSimulation> WarmUp
    {
        get
        {
            var operations = variant.WarmUpOperations;
            var copies = SettledDelay.Max > TimeSpan.Zero ? operations : Math.Min(8, operations);
            return [Simulation.IterationsForConstant(copies, operations)];
        }
    }

    /// <summary>At the published rates a p99 is one or two operations.</summary>
    public override LoadOptions Options => new()
    {
        CompletionTimeout = EventTimeout,
        HealthLimits = GeneratorHealthLimits.ForSystemInSameProcess with { MinimumSamplesInTail = 10 },
    };

    public override string ContentHash =>
        LoadTesting.Core.Results.ContentHash.Of([GetType().Name, $"{Amount} {Currency}", $"{SettledDelay}"]);

    /// <summary>A second at full size, which has thousands of operations.</summary>
    public override TimeSpan ListeningTime => LoadOperations >= 1_000 ? TimeSpan.FromSeconds(1) : TimeSpan.Zero;

    public override IReadOnlyList<string> Notes =>
    [
        Question,
        .. Remarks,
        $"Warmed up with {Quantity.Of(variant.WarmUpOperations, "uncounted operation")}.",
        "Latency is from the intended start; steps are from their actual start.",
        "Generator, service and consumers share one process; the API is called over HTTP on the loopback.",
        .. SettledDelay.Max > TimeSpan.Zero
            ? [$"The consumer of PaymentSettled takes {SettledDelay.Min.TotalSeconds} to "
                + $"{SettledDelay.Max.TotalSeconds} s more."]
            : Array.Empty<string>(),
        .. Subject.Broker is { } broker ? [broker] : Array.Empty<string>(),
    ];

    private PaymentSubject Subject => _subject
        ?? throw new InvalidOperationException($"{variant.Name} is not on a service yet: call {nameof(Attach)} first.");

    /// <summary>Puts the scenario on a service that has started.</summary>
    public void Attach(PaymentSubject subject, string profile) => (_subject, _profile) = (subject, profile);

    /// <summary>One operation.</summary>
    /// <param name="context">The iteration; the latency of the operation counts from its intended start.</param>
    /// <param name="batch">Accounts for the operation.</param>
    /// <param name="client">The service's API.</param>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch, PaymentClient client);

    public override Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch) =>
        RunAsync(context, batch, Subject.Client);

    /// <summary>
    /// Each operation stands alone, and its scenario says when it is over. The service is idle once every payment has
    /// its receipt.
    /// </summary>
    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        Size = operations,
        Timeout = EventTimeout,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = async (accepted, cancellationToken) =>
        {
            await Subject.WaitForReceiptsAsync(CreatesPayments ? accepted : 0, DrainTimeout, cancellationToken);
            return System.Diagnostics.Stopwatch.GetTimestamp();
        },
    };

    /// <summary>From the actual start, where the intended one may have been before it.</summary>
    public override double? ResponseSeconds(ScenarioResult result) =>
        result.Clocks.TryGetValue("service", out var service)
            ? service.AverageMs / 1_000
            : base.ResponseSeconds(result);

    /// <summary>
    /// Creates a payment as a step of its own; fails unless it is answered with 201. A refusal withdraws the waits,
    /// since no event will come.
    /// </summary>
    protected static async Task<Response<Guid>> CreateAsync(
        IScenarioContext context, OperationBatch batch, PaymentClient client, Operation operation,
        string? correlationKey, params EventWait[] waits)
    {
        try
        {
            return await Step.Run(PaymentStepNames.Create, context, async () =>
            {
                var answer = await batch.SendAsync(
                    operation,
                    () => client.CreateAsync(Amount, Currency, correlationKey, context.ScenarioCancellationToken),
                    isAccepted: a => a.PaymentId is not null);
                return answer.PaymentId is { } id
                    ? Response.Ok(id, $"{answer.Status}")
                    : Response.Fail<Guid>($"{answer.Status}", answer.Detail);
            });
        }
        catch (StepFailedException e) when (e.Response.StatusCode.StartsWith('4'))
        {
            Array.ForEach(waits, wait => wait.Withdraw());
            throw;
        }
    }

    /// <summary>What an event that did not come makes of its operation.</summary>
    protected IResponse Lost(string name, string key) =>
        Response.Fail("lost", $"No {name} for {key} within {EventTimeout.TotalSeconds:0} s.");
}
