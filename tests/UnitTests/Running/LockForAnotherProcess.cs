using UnitTests.Running;
using Xunit.Sdk;
using Xunit.v3;

[assembly: TestPipelineStartup(typeof(LockForAnotherProcess))]

namespace UnitTests.Running;

/// <summary>
/// Turns this executable into a process that only holds a lock until it is killed, when the variable says so: tests of
/// the lock need a second process. Not an explicit test, because those are reported as skipped in every run.
/// </summary>
public sealed class LockForAnotherProcess : ITestPipelineStartup
{
    public const string Variable = "WORKFLOW_TEST_LOCK";

    public async ValueTask StartAsync(IMessageSink diagnosticMessageSink)
    {
        if (Environment.GetEnvironmentVariable(Variable)?.Split(':', 2) is [var mode, var path])
        {
            var options = new TestRunLockOptions { Path = path };
            using var held =
                await TestRunLock.AcquireAsync(Enum.Parse<TestRunLockMode>(mode), options, CancellationToken.None);
            await Task.Delay(Timeout.InfiniteTimeSpan);
        }
    }

    public ValueTask StopAsync() => ValueTask.CompletedTask;
}
