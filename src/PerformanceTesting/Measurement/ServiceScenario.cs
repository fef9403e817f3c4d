namespace PerformanceTesting.Measurement;

/// <summary>
/// A scenario of a service of your own: what one operation does is in <see cref="RunAsync(ServiceOperation)"/>. Each
/// operation has a key, which its requests and its events carry.
/// </summary>
/// <param name="name">
/// Without the profile. Times gate only where it ends with <c>-xl</c>: give such a load 1,000 operations or more.
/// </param>
/// <param name="tier">Value of the trait <c>Category</c>. In <c>Smoke</c> times never fail a test.</param>
/// <param name="load">The measured load.</param>
public abstract class ServiceScenario(string name, string tier, params IReadOnlyList<LoadSimulation> load)
    : MeasuredScenario
{
    private const int WarmUpCopies = 4;

    /// <summary>
    /// At so few a second a p99 is one operation or two: lateness needs more of them to be the generator's.
    /// </summary>
    private const int SamplesInTail = 10;

    public override string FullName => $"{Profile}-{name}";

    /// <summary>What the service runs on, in a word: results are named after it. Default <c>service</c>.</summary>
    public override string Profile => "service";

    public override string Tier => tier;

    /// <summary>The question that the scenario answers, for a reader of the report.</summary>
    public abstract string Question { get; }

    /// <summary>The event that ends an operation. Null (the default) if its last answer ends it.</summary>
    public virtual string? CompletionEvent => null;

    /// <summary>How long that event may take to come; then it is lost. Default 30 s.</summary>
    public virtual TimeSpan EventTimeout => TimeSpan.FromSeconds(30);

    /// <summary>
    /// What an operation sends, as far as it matters to a comparison: results compare only when it is equal.
    /// </summary>
    public virtual IReadOnlyList<string> Content => [];

    /// <summary>Operations before the measured ones, four at a time. Default 40.</summary>
    public int WarmUpOperations { get; init; } = 40;

    /// <summary>What the result is held to; nothing by default.</summary>
    public IReadOnlyList<Threshold> Limits { get; init; } = [];

    /// <summary>The load says how many there are.</summary>
    public override int LoadOperations => 0;

    public override int? LoadConcurrency => load.OfType<ClosedSimulation>().Select(closed => (int?)closed.Copies).Max();

    public override IReadOnlyList<LoadSimulation> Load => load;

    public override IReadOnlyList<LoadSimulation> WarmUp => WarmUpOperations == 0
        ? []
        : [Simulation.IterationsForConstant(Math.Min(WarmUpCopies, WarmUpOperations), WarmUpOperations)];

    public override LoadOptions Options => new()
    {
        CompletionTimeout = EventTimeout + TimeSpan.FromSeconds(5),
        HealthLimits = new() { MinimumSamplesInTail = SamplesInTail },
    };

    public override IReadOnlyList<Threshold> Thresholds => Limits;

    /// <summary>A duplicate comes after its event.</summary>
    public override TimeSpan ListeningTime => CompletionEvent is null ? TimeSpan.Zero : TimeSpan.FromMilliseconds(200);

    public override string ContentHash =>
        LoadTesting.Core.Results.ContentHash.Of([GetType().Name, CompletionEvent ?? "", .. Phases, .. Content]);

    public override IReadOnlyList<string> Notes =>
    [
        Question,
        $"Warmed up with {Quantity.Of(WarmUpOperations, "uncounted operation")}.",
        "Latency of an open load is from the intended start; phases are from their actual start, and overlap.",
    ];

    protected abstract Task<IResponse> RunAsync(ServiceOperation operation);

    public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
    {
        var operation = new ServiceOperation(context, batch);
        try
        {
            return await RunAsync(operation);
        }
        finally
        {
            operation.Leave();
        }
    }

    public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
    {
        CompletionEvent = CompletionEvent,
        Size = operations,
        Timeout = EventTimeout,
        Shape = BatchShape.Continuous,
        // The service does not say when it is idle; it is once each operation has ended.
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
    };
}
