namespace IntegrationTests.Shared.Faults;

/// <summary>The writer of a lane that fails at the store's word.</summary>
internal sealed class FaultyLane(FaultyStore store, ILaneStore inner) : ILaneStore
{
    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.LoadAsync(cancellationToken);
    }

    public ILaneStore Inner => inner;

    public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
        store.FlushAsync([batch], () => inner.FlushAsync(batch, cancellationToken));

    public async Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.FindKeysAsync(keys, cancellationToken);
    }

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}

/// <summary>How a flush fails.</summary>
/// <param name="Failure">What the engine gets.</param>
/// <param name="AfterCommit">True: it is committed all the same.</param>
/// <param name="ThenAway">True: the store cannot be reached from then on.</param>
public sealed record FlushFault(FlushFailure Failure, bool AfterCommit, bool ThenAway = false);

/// <summary>Keeps flushes back until it is released or disposed.</summary>
public sealed class FlushHold : IDisposable
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal Task Released => _released.Task;

    public void Release() => _released.TrySetResult();
    public void Dispose() => Release();
}
