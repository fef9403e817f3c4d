using System.Reflection;
using PerformanceTesting.Processes;
using PerformanceTesting.XunitV3;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Holds the lock of test runs for as long as a test assembly runs: an assembly fixture of every test project. Where it has to wait, the
/// test run says for whom.
/// </summary>
public abstract class TestRun(TestRunLockMode mode) : IAsyncLifetime
{
    private TestRunLock? _lock;

    public virtual async ValueTask InitializeAsync()
    {
        var write = TestProgress.Writer(TestContext.Current);
        _lock = await TestRunLock.AcquireAsync(
            mode, new TestRunLockOptions { Waiting = holders => write($"waiting for {holders} to end") }, Cancel);
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

/// <summary>
/// Keeps every other test assembly of the machine away while this one measures, and refuses to measure code that is not optimised.
/// </summary>
public sealed class ExclusiveTestRun() : TestRun(TestRunLockMode.Exclusive)
{
    public override ValueTask InitializeAsync()
    {
        OptimisationCheck.RefuseUnoptimised(Assembly.GetEntryAssembly()!);
        return base.InitializeAsync();
    }
}

/// <summary>What tests say most often, imported statically by every test project.</summary>
public static class CurrentTest
{
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Fails unless the text holds every part, letter by letter.</summary>
    public static void AssertHolds(string? text, params IEnumerable<string> parts) =>
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));
}
