using System.Reflection;
using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Running;

/// <summary>Lets other shared test assemblies run beside this one, but no measurement: an assembly fixture of every test project.</summary>
public sealed class SharedTestRun : IAsyncLifetime
{
    private TestRunLock? _lock;

    public async ValueTask InitializeAsync()
    {
        _lock = await TestRunLock.AcquireAsync(TestRunLockMode.Shared, new TestRunLockOptions(), Cancel);
    }

    public ValueTask DisposeAsync()
    {
        _lock?.Dispose();
        return ValueTask.CompletedTask;
    }
}

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

/// <summary>What tests say most often, imported statically by every test project.</summary>
public static class CurrentTest
{
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Fails unless the text holds every part, letter by letter.</summary>
    public static void AssertHolds(string? text, params IEnumerable<string> parts) =>
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));
}
