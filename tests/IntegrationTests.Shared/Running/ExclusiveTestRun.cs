using System.Reflection;
using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Keeps every other test assembly of the machine away while this one measures, and refuses to measure code that is not optimised:
/// <c>[assembly: AssemblyFixture(typeof(ExclusiveTestRun))]</c>.
/// </summary>
public sealed class ExclusiveTestRun : IAsyncLifetime
{
    private TestRunLock? _lock;

    public async ValueTask InitializeAsync()
    {
        OptimisationCheck.RefuseUnoptimised(Assembly.GetEntryAssembly()!);
        _lock = await TestRunLock.AcquireAsync(TestRunLockMode.Exclusive, new TestRunLockOptions(), Cancel);
    }

    public ValueTask DisposeAsync()
    {
        _lock?.Dispose();
        return ValueTask.CompletedTask;
    }
}
