using Xunit.Sdk;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Tests that judge real time, because their subject does. One that fails while the machine kept this process waiting
/// is tried again; where that was so in each attempt it is inconclusive: skipped, or failed where runs are strict. On a
/// machine that keeps up it fails at once. Mark the test with <see cref="JudgesRealTimeAttribute"/>.
/// </summary>
public static class RealTime
{
    private const int MaximumAttempts = 5;

    /// <inheritdoc cref="HoldsAsync(Func{Task})"/>
    public static Task HoldsAsync(Action test) => HoldsAsync(() =>
    {
        test();
        return Task.CompletedTask;
    });

    /// <summary>Runs the test until it holds, or fails without an excuse.</summary>
    public static async Task HoldsAsync(Func<Task> test)
    {
        for (var attempt = 1; ; attempt++)
        {
            using var machine = new MachineWatch();
            try
            {
                await test();
                return;
            }
            catch (Exception error) when (
                error is not SkipException && !Cancel.IsCancellationRequested
                    && machine.Disturbance() is { } disturbance)
            {
                if (attempt == MaximumAttempts)
                {
                    Assert.SkipUnless(
                        Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is "1",
                        $"Inconclusive: {disturbance} in the last of {attempt} attempts, "
                            + $"each of which was disturbed: {error.Message}");
                    throw;
                }
            }
        }
    }
}
