namespace IntegrationTests.Shared.Faults;

/// <summary>Keeps flushes back until it is released or disposed.</summary>
public sealed class FlushHold : IDisposable
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal Task Released => _released.Task;

    public void Release() => _released.TrySetResult();
    public void Dispose() => Release();
}
