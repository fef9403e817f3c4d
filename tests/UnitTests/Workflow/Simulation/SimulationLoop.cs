namespace UnitTests.Workflow.Simulation;

/// <summary>
/// One thread, one clock, one source of randomness. Everything that is ready waits in one queue, from which the seed takes; when nothing
/// is ready, the clock moves on to the next timer. Two runs of one seed take the same steps, which their trace shows.
/// </summary>
internal sealed class SimulationLoop
{
    private const int MaxSteps = 100_000;
    private readonly List<WorkItem> _ready = new(128);
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly int _disorder;
    private volatile bool _left;

    public SimulationLoop(int seed, ICollection<string>? notes)
    {
        Notes = notes;
        Random = new Random(seed);
        _disorder = Random.Next(3) switch { 0 => 0, 1 => 20, _ => 100 };
    }

    public Random Random { get; }

    /// <summary>What happened, for people; null where nobody reads it.</summary>
    public ICollection<string>? Notes { get; }

    public ManualTime Time { get; } = new();

    /// <summary>FNV-1a over every step and every call of a store.</summary>
    public ulong Trace { get; private set; } = 14695981039346656037;

    public int Steps { get; private set; }

    public void Note(Func<string> what) => Notes?.Add($"{Time.GetUtcNow():mm:ss.ffffff} {what()}");

    public void Record(ulong what) => Trace = (Trace ^ what) * 1099511628211;

    public void Record(string what)
    {
        foreach (var unit in what)
        {
            Record(unit);
        }
    }

    public bool Chance(int percent) => Random.Next(100) < percent;

    /// <summary>A time between the two, in whole microseconds.</summary>
    public TimeSpan Between(TimeSpan least, TimeSpan most) =>
        least + TimeSpan.FromMicroseconds(Random.NextInt64((long)(most - least).TotalMicroseconds + 1));

    /// <summary>A UUID version 7, whose randomness is the seed's.</summary>
    public Guid NewId(DateTimeOffset now)
    {
        Span<byte> bytes = stackalloc byte[16];
        Random.NextBytes(bytes);
        var milliseconds = now.ToUnixTimeMilliseconds();
        for (var i = 5; i >= 0; i--, milliseconds >>= 8)
        {
            bytes[i] = (byte)milliseconds;
        }

        bytes[6] = (byte)(0x70 | (bytes[6] & 0x0F));
        bytes[8] = (byte)(0x80 | (bytes[8] & 0x3F));
        return new Guid(bytes, bigEndian: true);
    }

    /// <summary>Runs until the condition holds.</summary>
    /// <exception cref="InvalidOperationException">It never does, or something has left the thread.</exception>
    public void Run(Func<bool> isOver)
    {
        var outer = SynchronizationContext.Current;
        try
        {
            while (!isOver())
            {
                if (_left)
                {
                    throw new InvalidOperationException("A continuation went through another thread: its order is not the seed's.");
                }

                if (++Steps > MaxSteps)
                {
                    throw new InvalidOperationException($"It has not come to an end within {MaxSteps} steps.");
                }

                if (!TryStep() && !Time.AdvanceToNext())
                {
                    throw new InvalidOperationException("Nothing is ready, no timer is set, and it is not at its end.");
                }
            }
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(outer);
        }
    }

    public void Add(WorkItem item)
    {
        if (Environment.CurrentManagedThreadId == _thread)
        {
            _ready.Add(item);
        }
        else
        {
            _left = true;
        }
    }

    private bool TryStep()
    {
        if (_ready.Count == 0)
        {
            return false;
        }

        var at = _ready.Count > 1 && Chance(_disorder) ? Random.Next(_ready.Count) : 0;
        var item = _ready[at];
        _ready.RemoveAt(at);
        if (item.Owner.TryHold(item))
        {
            return true;
        }

        Record((ulong)item.Owner.Number);
        Record((ulong)Time.GetTimestamp());
        SynchronizationContext.SetSynchronizationContext(item.Owner);
        item.Call(item.State);
        return true;
    }
}

internal readonly record struct WorkItem(SimulatedProcess Owner, SendOrPostCallback Call, object? State);

/// <summary>
/// A process, to which continuations belong: those of one that is killed are never run, those of one that stands still wait until it
/// goes on. It has its own wall clock, which may jump; its timers do not.
/// </summary>
internal sealed class SimulatedProcess(SimulationLoop loop, int number) : SynchronizationContext
{
    private readonly List<WorkItem> _held = [];
    private bool _stands;

    public int Number => number;
    public bool IsAlive { get; private set; } = true;
    public TimeSpan ClockError { get; set; }
    public TimeProvider Clock => field ??= new ProcessTime(this, loop.Time);

    /// <summary>Called when it is killed.</summary>
    public event Action? Killed;

    public override void Post(SendOrPostCallback d, object? state)
    {
        // What a killed process leaves is also posted by finalizers, in their thread.
        if (IsAlive)
        {
            loop.Add(new(this, d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) => throw new NotSupportedException("Nothing blocks in a simulation.");

    public override SynchronizationContext CreateCopy() => this;

    /// <summary>Calls in the process, after a pause if one is given.</summary>
    public void Post(Action call, TimeSpan after = default)
    {
        if (after == TimeSpan.Zero)
        {
            loop.Add(new(this, static c => ((Action)c!)(), call));
        }
        else
        {
            Clock.CreateTimer(static c => ((Action)c!)(), call, after, Timeout.InfiniteTimeSpan);
        }
    }

    public void Kill()
    {
        IsAlive = false;
        _held.Clear();
        Killed?.Invoke();
    }

    public void Pause() => _stands = true;

    public void Resume()
    {
        _stands = false;
        _held.ForEach(loop.Add);
        _held.Clear();
    }

    /// <returns>True when the item is not to be run now.</returns>
    public bool TryHold(WorkItem item)
    {
        if (IsAlive && _stands)
        {
            _held.Add(item);
        }

        return !IsAlive || _stands;
    }

    private sealed class ProcessTime(SimulatedProcess process, TimeProvider time) : TimeProvider
    {
        public override long TimestampFrequency => time.TimestampFrequency;
        public override DateTimeOffset GetUtcNow() => time.GetUtcNow() + process.ClockError;
        public override long GetTimestamp() => time.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = new ProcessTimer();
            timer.Inner = time.CreateTimer(_ => Ring(timer), null, dueTime, period);
            return timer;

            void Ring(ProcessTimer expired)
            {
                if (process.IsAlive)
                {
                    process.Post(s => callback(s), state);
                }
                else
                {
                    expired.Dispose();
                }
            }
        }
    }

    private sealed class ProcessTimer : ITimer
    {
        public ITimer? Inner { get; set; }
        public bool Change(TimeSpan dueTime, TimeSpan period) => Inner!.Change(dueTime, period);
        public void Dispose() => Inner!.Dispose();
        public ValueTask DisposeAsync() => Inner!.DisposeAsync();
    }
}
