namespace IntegrationTests.Shared.Running;

/// <summary>
/// Lets other shared test assemblies of the machine run beside this one, but never a measurement: <c>[assembly:
/// AssemblyFixture(typeof(SharedTestRun))]</c>.
/// </summary>
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
