namespace PerformanceTests.Scenarios;

/// <summary>
/// Transport only: signals through the durable signal path to a receiver, no workflow resumed. All are published before
/// the first is awaited.
/// </summary>
public abstract class BurstScenario(ScenarioVariant variant) : VariantScenario(variant)
{
    private const string SignalName = "burst";

    public override IReadOnlyList<string> Receivers => [SignalName];

    public override string CompletionEvent => nameof(SignalReceived);

    public override bool StartsInstances => false;

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();
        var payload = JsonSerializer.SerializeToElement(new { number = context.IterationNumber });
        DateTimeOffset? dueAt =
            batch.DueAfter > TimeSpan.Zero ? TimeProvider.System.GetUtcNow() + batch.DueAfter : null;
        operation.PublishedTicks = Stopwatch.GetTimestamp();
        return await Step.Run(PhaseNames.SignalPublish, context, () => batch.SendAsync(
            operation,
            () => subject.SignalAsync(SignalName, operation.Key, payload, dueAt, context.ScenarioCancellationToken)));
    }
}
