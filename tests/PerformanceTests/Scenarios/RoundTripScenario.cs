namespace PerformanceTests.Scenarios;

/// <summary>
/// Start, wait for a signal, resume, complete: one instance an operation, whatever the order of the requests.
/// </summary>
public abstract class RoundTripScenario(ScenarioVariant variant, string definition, string signal)
    : VariantScenario(variant)
{
    /// <summary>What the signal brings.</summary>
    protected static JsonElement Answer { get; } = JsonSerializer.SerializeToElement(new { approved = true });

    public sealed override IReadOnlyList<string> Definitions => [definition];

    public sealed override string CompletionEvent => nameof(InstanceCompleted);

    public override IReadOnlyList<string> Phases => Shape == BatchShape.Continuous
        ? [PhaseNames.Start, PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion, PhaseNames.DrainToIdle]
        :
        [
            PhaseNames.Start, PhaseNames.SignalPublish, PhaseNames.SignalToFirstCompletion,
            PhaseNames.SignalToCompletion,
            PhaseNames.DrainToIdle,
        ];

    /// <summary>Start, signal and completion in one iteration.</summary>
    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var operation = batch.Begin();
        try
        {
            await StartAsync(context, batch, operation, subject);
            await PublishAsync(context, operation, subject);
            var arrival = await operation.Completion.Arrival;
            await batch.EndAsync(operation, context.ScenarioCancellationToken);
            return arrival.IsLost
                ? Response.Fail("lost", $"No {CompletionEvent} for {operation.Key} within the time-out.")
                : Response.Ok(endTimestamp: arrival.Timestamp);
        }
        finally
        {
            batch.Leave(operation);
        }
    }

    /// <summary>The first phase.</summary>
    protected Task<IResponse> StartAsync(
        IScenarioContext context, OperationBatch batch, Operation operation, WorkflowSubject subject) =>
        Step.Run(PhaseNames.Start, context, () =>
        {
            var input = JsonSerializer.SerializeToElement(new { requestId = operation.Key, requester = "measurement" });
            return batch.SendAsync(
                operation,
                () => subject.StartAsync(definition, operation.Key, input, context.ScenarioCancellationToken));
        });

    /// <summary>The second phase.</summary>
    protected Task<IResponse> PublishAsync(IScenarioContext context, Operation operation, WorkflowSubject subject)
    {
        operation.PublishedTicks = Stopwatch.GetTimestamp();
        return Step.Run(
            PhaseNames.SignalPublish, context,
            () => subject.SignalAsync(signal, operation.Key, Answer, null, context.ScenarioCancellationToken));
    }
}
