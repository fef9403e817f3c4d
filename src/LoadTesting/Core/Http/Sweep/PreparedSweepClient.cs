namespace LoadTesting.Core.Http.Sweep;

/// <summary>A client with its connections open.</summary>
internal abstract class PreparedSweepClient : IAsyncDisposable
{
    internal abstract Task<SweepSample> MeasureAsync(TimeSpan duration, CancellationToken cancellationToken);

    public abstract ValueTask DisposeAsync();
}
