namespace LoadTesting.Core.Load;

/// <summary>Watches the generator's process from a thread of its own, every 10 ms on an absolute schedule, until it is stopped.</summary>
internal sealed class GeneratorSampler(LoadSamples samples, ConsumerWatch? consumer)
{
    private const int TickMs = 10;

    private static readonly TimeSpan s_consumerInterval = TimeSpan.FromSeconds(1);
    private static readonly long s_tick = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(TickMs));

    private readonly TaskCompletionSource<GeneratorSample> _sample = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly object _gate = new();
    private readonly LatencyHistogram _lateness = new();
    // Counts, not times: the histogram's whole units serve for both.
    private readonly LatencyHistogram _queue = new();
    private TimeSpan _paused = GC.GetTotalPauseDuration();
    private bool _isStopped;
    private long _queueMax;
    private long _stalled;
    private int _threadsMax;

    internal static GeneratorSampler Start(LoadSamples samples, ConsumerWatch? consumer = null)
    {
        var sampler = new GeneratorSampler(samples, consumer);
        new Thread(sampler.Run) { IsBackground = true, Name = "load-generator-health", Priority = ThreadPriority.AboveNormal }.Start();
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
            SampleThreadPool();
            probe.Queue();
            consumer?.Look(s_consumerInterval);
            consumer?.AddPauseTo(samples);
            due += s_tick;
        }
        while (WaitUntil(ref due));

        // A stall that is still going on when the run ends would otherwise be seen by no tick, and no thread.
        RecordLateness(due);
        probe.Stop();
        var real = Stopwatch.GetElapsedTime(start);
        return new GeneratorSample(
            Share(CpuTime() - cpu, real * Environment.ProcessorCount),
            Share(GC.GetTotalPauseDuration() - pause, real),
            _queueMax,
            _queue.PercentileNanoseconds(90),
            _threadsMax,
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

    /// <summary>Waits for the tick, records how late it came, and moves on past ticks that were missed altogether.</summary>
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

    private void SampleThreadPool()
    {
        var queue = ThreadPool.PendingWorkItemCount;
        _queue.RecordNanoseconds(queue);
        _queueMax = Math.Max(_queueMax, queue);
        _threadsMax = Math.Max(_threadsMax, ThreadPool.ThreadCount);
    }

    private static TimeSpan CpuTime()
    {
        using var process = Process.GetCurrentProcess();
        return process.TotalProcessorTime;
    }

    private static double Share(TimeSpan part, TimeSpan whole) => whole > TimeSpan.Zero ? part / whole : 0;
}

/// <summary>What was seen of the generator's own process while the load ran.</summary>
/// <param name="CpuShare">Processor time of the process / (real time x cores), 0 to 1.</param>
/// <param name="GcPauseShare">Garbage collection pauses / real time, 0 to 1.</param>
/// <param name="ThreadPoolQueueMax">Most work items seen waiting in the thread pool.</param>
/// <param name="ThreadPoolQueueP90">Work items that waited in a tenth of the samples.</param>
/// <param name="ThreadPoolThreadsMax">Most thread-pool threads seen.</param>
/// <param name="JitterMaxMs">The most a 10 ms ticker on its own thread was late.</param>
/// <param name="JitterP99Ms">How late it was in a hundredth of its ticks.</param>
/// <param name="Ticks">How often it ticked.</param>
/// <param name="Cores">Cores that the process may use.</param>
/// <param name="Duration">How long it was watched.</param>
public sealed record GeneratorSample(
    double CpuShare,
    double GcPauseShare,
    long ThreadPoolQueueMax,
    long ThreadPoolQueueP90,
    int ThreadPoolThreadsMax,
    double JitterMaxMs,
    double JitterP99Ms,
    long Ticks,
    int Cores,
    TimeSpan Duration)
{
    /// <summary>How late the ticks were, in all, that came more than 50 ms late.</summary>
    public TimeSpan Stalled { get; init; }

    /// <summary>How long a work item waited for a thread of the pool, one queued every 10 ms.</summary>
    public LatencyHistogram PoolDelay { get; init; } = new();

    /// <summary>
    /// The part of each second or so, 0 to 1, in which the consumer of events worked on what had come; empty where it was not watched.
    /// </summary>
    public IReadOnlyList<double> ConsumerShares { get; init; } = [];
}

/// <summary>Watches the one reader that takes all events. Used by one thread after the other.</summary>
/// <param name="work">How long it has worked so far.</param>
internal sealed class ConsumerWatch(Func<TimeSpan> work)
{
    private readonly List<double> _shares = [];
    private readonly ConsumerPauses _pauses = new();
    private (long At, TimeSpan Worked) _last = (Stopwatch.GetTimestamp(), work());

    /// <summary>The part of each interval between two looks in which it worked, 0 to 1.</summary>
    internal IReadOnlyList<double> Shares => _shares;

    /// <summary>Ends an interval, once it is long enough.</summary>
    internal void Look(TimeSpan atLeast)
    {
        if (Stopwatch.GetElapsedTime(_last.At) is var real && real >= atLeast)
        {
            var worked = work();
            _shares.Add((worked - _last.Worked) / real);
            _last = (Stopwatch.GetTimestamp(), worked);
        }
    }

    /// <summary>Adds the time since it was added to last, where the reader worked all along.</summary>
    internal void AddPauseTo(LoadSamples samples) => _pauses.Add(Stopwatch.GetTimestamp(), work(), samples);
}

/// <summary>
/// The times in which the one reader worked without a break, from what its work came to at moments in order. Between two that are 50 ms
/// apart or more it must have worked for nine tenths: a reader that keeps up waits for the next event in between.
/// </summary>
internal sealed class ConsumerPauses
{
    private const double NoBreak = 0.9;

    private (long At, TimeSpan Worked)? _last;

    /// <param name="at">In Stopwatch ticks.</param>
    /// <param name="worked">Until then, in all.</param>
    /// <param name="samples">Gets the time between, where it is one of them.</param>
    internal void Add(long at, TimeSpan worked, LoadSamples samples)
    {
        if (_last is { } last)
        {
            if (at - last.At < LoadSamples.ShortestPause)
            {
                return;
            }

            if (worked - last.Worked >= NoBreak * StopwatchTime.ToTimeSpan(at - last.At))
            {
                samples.AddPause(new Pause(last.At, at, PauseKind.Consumer));
            }
        }

        _last = (at, worked);
    }
}

/// <summary>
/// At every tick queues a work item and sends a byte over a connection of its own, and records how long it took until threads of the pool
/// had taken both: what every continuation of the load waits too, and a closed load takes for service time. What answers from a network
/// bring about stands in a queue of the runtime that no work item has to pass. Each byte is an entry in that queue, so that another one is
/// sent only when none is under way; the ticks meanwhile wait with it. Used by one thread.
/// </summary>
internal sealed class PoolProbe : IDisposable
{
    private readonly LoadSamples _samples;
    private readonly Socket _sender;
    private readonly Queue<Item> _open = new();
    private readonly ConcurrentQueue<Item> _sent = new();
    private int _isUnderWay;

    internal PoolProbe(LoadSamples samples)
    {
        _samples = samples;
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        _sender = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true, LingerState = new(enable: true, seconds: 0),
        };
        _sender.Connect(listener.LocalEndPoint!);
        _ = ReceiveAsync(listener.Accept());
    }

    internal void Queue()
    {
        while (_open.TryPeek(out var oldest) && oldest.HasEnded)
        {
            _open.Dequeue();
        }

        var item = new Item(_samples);
        _open.Enqueue(item);
        ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        _sent.Enqueue(item);
        if (Interlocked.Exchange(ref _isUnderWay, 1) == 0)
        {
            _sender.Send([0]);
        }
    }

    /// <summary>What was not taken by now has waited until now.</summary>
    internal void Stop()
    {
        foreach (var item in _open)
        {
            item.End();
        }
    }

    /// <summary>Resets the connection, which ends its reader as soon as a thread is free.</summary>
    public void Dispose() => _sender.Dispose();

    private async Task ReceiveAsync(Socket receiver)
    {
        using var own = receiver;
        var buffer = new byte[1];
        try
        {
            while (await receiver.ReceiveAsync(buffer.AsMemory()).ConfigureAwait(false) > 0)
            {
                Volatile.Write(ref _isUnderWay, 0);
                while (_sent.TryDequeue(out var item))
                {
                    item.Execute();
                }
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The probe has ended.
        }
    }

    /// <summary>Executed twice: as a work item, and when its byte was received.</summary>
    private sealed class Item(LoadSamples samples) : IThreadPoolWorkItem
    {
        private readonly long _queuedAt = Stopwatch.GetTimestamp();
        private int _executions;
        private int _hasEnded;

        internal bool HasEnded => Volatile.Read(ref _hasEnded) != 0;

        public void Execute()
        {
            if (Interlocked.Increment(ref _executions) == 2)
            {
                End();
            }
        }

        internal void End()
        {
            if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            {
                samples.AddPoolDelay(_queuedAt, Stopwatch.GetTimestamp());
            }
        }
    }
}
