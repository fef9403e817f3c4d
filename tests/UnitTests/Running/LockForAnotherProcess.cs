using IntegrationTests.Shared.Running;
using Xunit;

namespace UnitTests.Running;

/// <summary>Not a test of its own: a process that holds a lock until it is killed, started by the tests of the lock.</summary>
public sealed class LockForAnotherProcess
{
    public const string Variable = "WORKFLOW_TEST_LOCK";

    [Fact(Explicit = true)]
    public async Task Holds_a_lock_until_killed()
    {
        var parts = Environment.GetEnvironmentVariable(Variable)?.Split(':', 2);
        Assert.SkipWhen(parts is null, $"Started by another test, which sets {Variable}.");
        var mode = Enum.Parse<TestRunLockMode>(parts[0]);
        using var held = await TestRunLock.AcquireAsync(
            mode, new TestRunLockOptions { Path = parts[1] }, TestContext.Current.CancellationToken);
        await Task.Delay(Timeout.InfiniteTimeSpan, TestContext.Current.CancellationToken);
    }
}
