using PerformanceTesting.XunitV3;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Holds the lock of test runs for as long as a test assembly runs: an assembly fixture of every test project. Where it
/// has to wait, the test run says for whom.
/// </summary>
public abstract class TestRun(TestRunLockMode mode) : IAsyncLifetime
{
    /// <summary>Ends the wait for the lock, with that of the test itself.</summary>
    protected virtual CancellationToken Ended => CancellationToken.None;

    private TestRunLock? _lock;

    public virtual async ValueTask InitializeAsync()
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(Cancel, Ended);
        _lock = await TestRunLock.AcquireAsync(
            mode,
            new TestRunLockOptions { Waiting = holders => TestTerminal.Write($"waiting for {holders} to end") },
            ended.Token);
    }

    public ValueTask DisposeAsync()
    {
        _lock?.Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}

/// <summary>Lets other shared test assemblies run beside this one, but no measurement.</summary>
public sealed class SharedTestRun() : TestRun(TestRunLockMode.Shared);
