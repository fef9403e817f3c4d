namespace PerformanceTests.Scenarios;

/// <summary>A short business flow that runs to its end within the start: look, decide, cancel, raise, end.</summary>
public sealed class QuoteOrApplicationCancelScenario(ScenarioVariant variant) : VariantScenario(variant)
{
    private const string CancelledEvent = "QuoteOrApplicationCancelled";

    public static ScenarioVariant Smoke { get; } =
        new("bulstrad-quote-or-apl-cancel-smoke", TierNames.Smoke, 10, 4) { FullSizeOperations = 4_000 };

    public override string Question =>
        "What does a business flow cost that needs one commit, and does its event arrive?";

    public override IReadOnlyList<string> Definitions => ["bulstrad-quote-or-apl-cancel"];

    public override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases =>
        [PhaseNames.Start, PhaseNames.StartToCompletion, PhaseNames.DrainToIdle];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();
        var published = batch.Expect(CancelledEvent, operation);
        await Step.Run(PhaseNames.Start, context, () =>
        {
            var input = InputOf(context.IterationNumber, operation.Key);
            return batch.SendAsync(operation, () =>
                subject.StartAsync(
                    "bulstrad-quote-or-apl-cancel", operation.Key, input, context.ScenarioCancellationToken));
        });
        var arrivals = await Task.WhenAll(operation.Completion.Arrival, published.Arrival);
        return Array.Exists(arrivals, a => a.IsLost)
            ? Response.Fail(
                "lost", $"{CompletionEvent} or {CancelledEvent} for {operation.Key} did not come within the time-out.")
            : Response.Ok(endTimestamp: arrivals[0].Timestamp);
    }

    /// <summary>Quotes, paid and unpaid applications in turn, so that every way of cancelling is taken.</summary>
    private static JsonElement InputOf(long iteration, string key) => (iteration % 3) switch
    {
        0 => JsonSerializer.SerializeToElement(new { kind = "quote", number = key }),
        1 => JsonSerializer.SerializeToElement(new { kind = "application", number = key, paidAmount = 120.50m }),
        _ => JsonSerializer.SerializeToElement(new { kind = "application", number = key }),
    };
}
