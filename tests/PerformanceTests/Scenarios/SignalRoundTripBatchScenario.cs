namespace PerformanceTests.Scenarios;

/// <summary>
/// A batch, as in the baseline of 2026-03-17: all instances are started, then all are signalled, then the batch is
/// waited for. Its figures show the order: between an operation's start and its signal lies half the time that all the
/// starts take, not one start.
/// </summary>
public abstract class SignalRoundTripBatchScenario(ScenarioVariant variant)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    private static readonly TimeSpan LongestRequest = TimeSpan.FromMilliseconds(50);

    public override int IterationsPerOperation => 2;

    /// <summary>
    /// An operation waits for every other's start and signal: 50 ms for each request that goes before it.
    /// </summary>
    public override TimeSpan CompletionTimeout =>
        base.CompletionTimeout + (2 * Operations / Concurrency * LongestRequest);

    public override IReadOnlyList<string> Remarks =>
        ["A batch: every instance is started, then every one is signalled, so an operation's latency holds the wait "
            + "for the rest of its batch. The phases start and signalPublish do not."];

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        if (context.IterationNumber < batch.Size)
        {
            return await StartAsync(context, batch, batch.Begin(), subject);
        }

        // One that was not started has been counted as failed by then, and there is nothing to signal.
        var number = await NextToSignalAsync(context, batch, subject);
        return batch.Find(number) is { Outcome: SendOutcome.Accepted } operation
            ? await PublishAsync(context, operation, subject)
            : Response.Ok();
    }

    /// <summary>
    /// The number of the operation that gets the next signal, when all are started. Default: in their order, at once.
    /// </summary>
    protected virtual Task<long> NextToSignalAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject) =>
        Task.FromResult(context.IterationNumber - batch.Size);
}
