using System.Diagnostics;
using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Operations;

public sealed class OperationBatchTests
{
    private const string Done = "done";

    [Theory]
    [InlineData(0, 1)]
    [InlineData(2, 0)] // Signals that are due in 2 s are waited for on purpose.
    public async Task Time_without_a_completion_after_the_last_iteration_is_a_gap(int dueAfterSeconds, int gaps)
    {
        using var awaiter = new EventAwaiter();
        var began = Stopwatch.GetTimestamp();
        var batch = new OperationBatch(awaiter, new BatchOptions
        {
            CompletionEvent = Done,
            DueAfter = TimeSpan.FromSeconds(dueAfterSeconds),
            WaitForIdleAsync = (_, _) => Task.FromResult(began + (10 * Stopwatch.Frequency)),
        });
        var operations = Enumerable.Range(0, 4).Select(_ => batch.Begin(began)).ToList();
        foreach (var operation in operations)
        {
            await batch.SendAsync(operation, () => Runs.Ok);
        }

        // The first two complete at once, the others after a second. The time until the system is idle is not a gap.
        double[] seconds = [0, 0, 2.5, 2.6];
        foreach (var (operation, after) in operations.Zip(seconds))
        {
            awaiter.Observe(Done, operation.Key, began + (long)(after * Stopwatch.Frequency));
        }

        await batch.SettleAsync(Cancel);

        Assert.Equal((gaps, 4), (batch.GapsWhileSettling.Count, batch.Tally.Completed));
        Assert.All(batch.GapsWhileSettling, gap =>
        {
            Assert.InRange(gap.DurationMs, 1_000, 2_500);
            Assert.Equal(
                (2_500, 2, StallCause.Unknown), (Math.Round(gap.AtMs + gap.DurationMs), gap.Iterations, gap.Cause));
        });
    }
}
