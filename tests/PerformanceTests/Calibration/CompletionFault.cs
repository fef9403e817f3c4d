namespace PerformanceTests.Calibration;

/// <summary>
/// What the consumer of events does wrong at completions of the measured load; a warm-up has none. Until it is disposed
/// the pool has threads to spare for those that a pause holds, so that nothing else waits for one.
/// </summary>
internal sealed class CompletionFault : IFaultInjection, IPlantedFault, IDisposable
{
    private const int SpareThreads = 8;

    private readonly (int Worker, int Io) _minimum;
    private readonly TaskCompletionSource<TimeSpan> _copiedAfter =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _handled;
    private int _copied;
    private volatile bool _isMeasuring;

    public CompletionFault()
    {
        ThreadPool.GetMinThreads(out _minimum.Worker, out _minimum.Io);
        Assert.True(ThreadPool.SetMinThreads(_minimum.Worker + SpareThreads, _minimum.Io));
    }

    /// <summary>
    /// How long it does nothing else before it counts a completion; by its number, the first is 1. Default: not at all.
    /// </summary>
    public Func<int, TimeSpan> Pause { get; init; } = _ => TimeSpan.Zero;

    /// <summary>The number of the completion that comes twice, from 1. 0 (the default) for none.</summary>
    public int CopyOf { get; init; }

    /// <summary>How long after the first time that is.</summary>
    public TimeSpan CopiesAfter { get; init; }

    /// <summary>How long after the first time it was, for which a busy machine takes longer; waits for it.</summary>
    public Task<TimeSpan> CopiedAfter => _copiedAfter.Task;

    public string Name => "completion";

    public IPlantedFault Plant() => this;

    public void BeginMeasuring() => _isMeasuring = true;

    public bool Delivers(IntegrationEvent sent)
    {
        if (IsMeasured(sent) && Pause(Interlocked.Increment(ref _handled)) is { Ticks: > 0 } pause)
        {
            using var never = new ManualResetEventSlim();
            never.Wait(pause, CancellationToken.None);
        }

        return true;
    }

    public Task? DeliversAgainWhen(IntegrationEvent sent) =>
        IsMeasured(sent) && Interlocked.Increment(ref _copied) == CopyOf ? CopyAsync() : null;

    public void Dispose() => ThreadPool.SetMinThreads(_minimum.Worker, _minimum.Io);

    private async Task CopyAsync()
    {
        var since = Stopwatch.GetTimestamp();
        await Task.Delay(CopiesAfter);
        _copiedAfter.SetResult(Stopwatch.GetElapsedTime(since));
    }

    private bool IsMeasured(IntegrationEvent sent) => _isMeasuring && sent is InstanceCompleted;
}
