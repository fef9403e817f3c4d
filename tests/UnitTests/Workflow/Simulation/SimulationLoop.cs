namespace UnitTests.Workflow.Simulation;

/// <summary>
/// One thread, one clock, one source of randomness. Everything that is ready waits in one queue, from which the seed
/// takes; when nothing is ready, the clock moves on to the next timer. Two runs of one seed take the same steps, which
/// their trace shows.
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

    /// <summary>A readable log of the run; null if none is wanted.</summary>
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
                    throw new InvalidOperationException(
                        "A continuation went through another thread: its order is not the seed's.");
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
