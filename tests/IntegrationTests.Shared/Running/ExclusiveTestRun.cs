using System.Reflection;
using PerformanceTesting.Processes;
using PerformanceTesting.XunitV3;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Keeps every other test assembly of the machine away while this one measures, and refuses to measure code that is not
/// optimised.
/// </summary>
public sealed class ExclusiveTestRun() : TestRun(TestRunLockMode.Exclusive)
{
    protected override CancellationToken Ended => TestInterruption.Ended;

    public override ValueTask InitializeAsync()
    {
        OptimisationCheck.RefuseUnoptimised(Assembly.GetEntryAssembly()!);
        return base.InitializeAsync();
    }
}
