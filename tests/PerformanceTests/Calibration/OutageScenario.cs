using Workflow.Abstractions.Exceptions;

namespace PerformanceTests.Calibration;

/// <summary>
/// The round trip with clients that survive trouble: one whose start failed goes on when the server is back, and a
/// signal is sent until it is taken.
/// </summary>
internal sealed class OutageScenario(int operations, TimeSpan completionTimeout)
    : RoundTripScenario(
        new ScenarioVariant("outage", TierNames.Calibration, operations, Concurrency: 8), "signal-roundtrip", Signal)
{
    private const string Signal = "roundtrip";
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private readonly TaskCompletionSource _quarterDone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _back = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentBag<string> _acknowledged = [];
    private int _late;

    public override string Question => "What becomes of the operations in flight when the server crashes?";

    public override BatchShape Shape => BatchShape.Continuous;

    public override TimeSpan CompletionTimeout => completionTimeout;

    /// <summary>Completes when a quarter of the operations has been acknowledged.</summary>
    public Task QuarterDone => _quarterDone.Task;

    /// <summary>Completes when an operation was refused or its answer was lost.</summary>
    public Task Failed => _failed.Task;

    /// <summary>Keys of the operations whose start was acknowledged.</summary>
    public IReadOnlyCollection<string> Acknowledged => _acknowledged;

    /// <summary>
    /// Whether every second start after a quarter waits for <see cref="ServerIsGone"/>: else all in flight might be
    /// signals when it goes.
    /// </summary>
    public bool StartsWhileGone { get; init; }

    /// <summary>Starts that wait go on.</summary>
    public void ServerIsGone() => _gone.SetResult();

    /// <summary>Clients whose start failed go on.</summary>
    public void ServerIsBack() => _back.SetResult();

    /// <summary>Every operation counts: what a warm-up left would be in the ledger.</summary>
    public override int WarmUpOperations => 0;

    /// <summary>
    /// Sends the signal again while its answer is lost or the store is away. It may be taken twice: the instance takes
    /// one.
    /// </summary>
    public static async Task SendUntilTakenAsync(
        WorkflowSubject subject, string key, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                await subject.SignalAsync(Signal, key, Answer, null, cancellationToken);
                return;
            }
            catch (StoreUnavailableException)
            {
                await Task.Delay(Pause, cancellationToken);
            }
        }
    }

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        if (StartsWhileGone && _quarterDone.Task.IsCompleted && Interlocked.Increment(ref _late) % 2 == 1)
        {
            await _gone.Task.WaitAsync(context.ScenarioCancellationToken);
        }

        var operation = batch.Begin();
        try
        {
            await StartAsync(context, batch, operation, subject);
        }
        catch (StepFailedException)
        {
            _failed.TrySetResult();
            await _back.Task.WaitAsync(context.ScenarioCancellationToken);
            throw;
        }

        _acknowledged.Add(operation.Key);
        if (_acknowledged.Count >= Operations / 4)
        {
            _quarterDone.TrySetResult();
        }

        operation.PublishedTicks = Stopwatch.GetTimestamp();
        await SendUntilTakenAsync(subject, operation.Key, context.ScenarioCancellationToken);
        var arrival = await operation.Completion.Arrival;
        await batch.EndAsync(operation, context.ScenarioCancellationToken);
        return arrival.IsLost
            ? Response.Fail("lost", $"No completion of {operation.Key} within {CompletionTimeout}.")
            : Response.Ok(endTimestamp: arrival.Timestamp);
    }
}
