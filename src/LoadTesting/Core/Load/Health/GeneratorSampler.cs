namespace LoadTesting.Core.Load.Health;

/// <summary>
/// Watches the generator's process from a dedicated thread, every 10 ms on an absolute schedule, until it is stopped.
/// </summary>
internal sealed class GeneratorSampler(LoadSamples samples, ConsumerWatch? consumer)
{
    private const int TickMs = 10;

    private static readonly TimeSpan s_consumerInterval = TimeSpan.FromSeconds(1);
    private static readonly long s_tick = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(TickMs));

    private readonly TaskCompletionSource<GeneratorSample> _sample =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly object _gate = new();
    private readonly LatencyHistogram _lateness = new();
    private TimeSpan _paused = GC.GetTotalPauseDuration();
    private bool _isStopped;
    private long _queueMax;
    private long _stalled;

    internal static GeneratorSampler Start(LoadSamples samples, ConsumerWatch? consumer = null)
    {
        var sampler = new GeneratorSampler(samples, consumer);
        new Thread(sampler.Run)
        {
            IsBackground = true, Name = "load-generator-health", Priority = ThreadPriority.AboveNormal,
        }.Start();
        return sampler;
    }

    internal Task<GeneratorSample> StopAsync()
    {
        lock (_gate)
        {
            _isStopped = true;
            Monitor.PulseAll(_gate);
        }

        return _sample.Task;
    }

    private void Run()
    {
        try
        {
            _sample.SetResult(Watch());
        }
        catch (Exception exception)
        {
            _sample.SetException(exception);
        }
    }

    private GeneratorSample Watch()
    {
        using var probe = new PoolProbe(samples);
        var start = Stopwatch.GetTimestamp();
        var cpu = CpuTime();
        var pause = GC.GetTotalPauseDuration();
        var due = start;
        do
        {
            _queueMax = Math.Max(_queueMax, ThreadPool.PendingWorkItemCount);
            probe.Queue();
            consumer?.EndInterval(s_consumerInterval);
            consumer?.AddPauseTo(samples);
            due += s_tick;
        }
        while (WaitUntil(ref due));

        // Includes a stall that has not ended yet.
        RecordLateness(due);
        probe.Stop();
        var real = Stopwatch.GetElapsedTime(start);
        return new GeneratorSample(
            Share(CpuTime() - cpu, real * Environment.ProcessorCount),
            Share(GC.GetTotalPauseDuration() - pause, real),
            _queueMax,
            _lateness.MaxMs,
            _lateness.PercentileMs(99),
            _lateness.Count,
            Environment.ProcessorCount,
            real)
        {
            Stalled = Stopwatch.GetElapsedTime(0, _stalled),
            PoolDelay = samples.PoolDelay(),
        };
    }

    /// <summary>Waits for the tick, records its lateness, and skips ticks that were missed.</summary>
    private bool WaitUntil(ref long due)
    {
        lock (_gate)
        {
            for (var now = Stopwatch.GetTimestamp(); now < due; now = Stopwatch.GetTimestamp())
            {
                if (_isStopped)
                {
                    return false;
                }

                Monitor.Wait(_gate, Math.Max(1, (int)StopwatchTime.ToMilliseconds(due - now)));
            }
        }

        due += RecordLateness(due) / s_tick * s_tick;
        return !_isStopped;
    }

    private long RecordLateness(long due)
    {
        var now = Stopwatch.GetTimestamp();
        var late = now - due;
        _lateness.RecordStopwatchTicks(late);
        _stalled += late > LoadSamples.ShortestPause ? late : 0;
        var paused = GC.GetTotalPauseDuration();
        samples.AddPause(new Pause(due, now, PauseKind.Process));
        samples.AddPause(new Pause(now - StopwatchTime.FromTimeSpan(paused - _paused), now, PauseKind.Collector));
        _paused = paused;
        return late;
    }

    private static TimeSpan CpuTime()
    {
        using var process = Process.GetCurrentProcess();
        return process.TotalProcessorTime;
    }

    private static double Share(TimeSpan part, TimeSpan whole) => whole > TimeSpan.Zero ? part / whole : 0;
}
