namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Reads a container's account once a second: memory has a peak only for who looks. It begins with a reading that is
/// taken while the caller goes on, so that processor time is known to a few milliseconds.
/// </summary>
public sealed class ContainerWatch : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private readonly IServerContainer _container;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _watching;
    private ContainerUsage? _first;
    private ContainerUsage? _last;
    private long _peakBytes;
    private string? _problem;

    private ContainerWatch(IServerContainer container)
    {
        _container = container;
        _watching = Task.Run(WatchAsync, CancellationToken.None);
    }

    public static ContainerWatch Start(IServerContainer container) => new(container);

    /// <returns>
    /// Processor time since the start and the most memory seen; null, with the reason, where it could not be read.
    /// </returns>
    public async Task<(ContainerUsage? Usage, string? Problem)> StopAsync()
    {
        await DisposeAsync();
        await LookAsync();
        return _problem is not null || _first is not { } first || _last is not { } last
            || last.CpuSeconds < first.CpuSeconds
            ? (null, _problem ?? "the engine reports none, or the container was started again")
            : (new ContainerUsage(last.CpuSeconds - first.CpuSeconds, _peakBytes), null);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _watching;
    }

    private async Task WatchAsync()
    {
        await LookAsync();
        _first = _last;
        using var timer = new PeriodicTimer(Interval);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                await LookAsync();
            }
        }
        catch (OperationCanceledException)
        {
            // The way it ends.
        }
    }

    private async Task LookAsync()
    {
        try
        {
            _last = await _container.ReadUsageAsync(CancellationToken.None);
            _peakBytes = Math.Max(_peakBytes, _last?.MemoryBytes ?? 0);
        }
        catch (BackendException exception)
        {
            _problem = exception.Message; // The load goes on without it, and the result says why.
        }
    }
}
