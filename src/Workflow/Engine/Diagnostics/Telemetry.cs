using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Workflow.Engine.Diagnostics;

/// <summary>What an engine counts: parts of <see cref="EngineStatistics"/>.</summary>
internal sealed class Telemetry
{
    public Count Started { get; } = new();
    public Count Completed { get; } = new();
    public Count Failed { get; } = new();
    public Count Called { get; } = new();
    public Count Cancelled { get; } = new();
    public Count Suspended { get; } = new();
    public Count Resumed { get; } = new();
    public Count Retried { get; } = new();
    public Count Signals { get; } = new();
    public Count SignalsConsumed { get; } = new();
    public Count SignalsExpired { get; } = new();
    public Count Commits { get; } = new();
    public Count Flushes { get; } = new();
    public Count FailedFlushes { get; } = new();
    public Count LaneReloads { get; } = new();
    public Count FlushedCommands { get; } = new();
    public Count RejectedCommands { get; } = new();
    public Count CrossPartitionMessages { get; } = new();
    public Count DeadLettered { get; } = new();
    public Count PendingCommands { get; } = new();

    public void Flushed(int commands, BatchTally tally)
    {
        Flushes.Add(1);
        FlushedCommands.Add(commands);
        Started.Add(tally.Started);
        Completed.Add(tally.Completed);
        Failed.Add(tally.Failed);
        Called.Add(tally.Called);
        Cancelled.Add(tally.Cancelled);
        Suspended.Add(tally.Suspended);
        Resumed.Add(tally.Resumed);
        Retried.Add(tally.Retried);
        Signals.Add(tally.Signals);
        SignalsConsumed.Add(tally.SignalsConsumed);
        SignalsExpired.Add(tally.SignalsExpired);
        CrossPartitionMessages.Add(tally.Messages);
        DeadLettered.Add(tally.DeadLettered);
    }
}

internal sealed class Count
{
    private long _value;

    public long Value => Interlocked.Read(ref _value);
    public void Add(long more) => Interlocked.Add(ref _value, more);
}

/// <summary>
/// The meter <c>Workflow.Engine</c>: an instrument for each of <see cref="EngineCounters.All"/>, read when somebody collects it, with a
/// value for each engine of the process. So every exporter has the figures of the metrics page, under the same names.
/// </summary>
internal sealed class EngineMeter : IDisposable
{
    public const string Name = "Workflow.Engine";

    private static readonly Meter s_meter = new(Name);

    /// <summary>Weak: the instruments live as long as the process, and an engine that nobody disposed of need not.</summary>
    private static readonly ConditionalWeakTable<EngineMeter, object> s_engines = [];

    private readonly Func<EngineStatistics> _read;

    static EngineMeter()
    {
        foreach (var counter in EngineCounters.All)
        {
            _ = counter.Kind == CounterKind.Gauge
                ? s_meter.CreateObservableGauge(counter.Instrument, () => Measure(counter), unit: null, counter.Help)
                : (Instrument)s_meter.CreateObservableCounter(counter.Instrument, () => Measure(counter), unit: null, counter.Help);
        }
    }

    public EngineMeter(Func<EngineStatistics> read)
    {
        _read = read;
        s_engines.Add(this, this);
    }

    public void Dispose() => s_engines.Remove(this);

    private static IEnumerable<Measurement<double>> Measure(EngineCounter counter) =>
        s_engines.Select(engine => counter.Read(engine.Key._read())).OfType<double>().Select(value => new Measurement<double>(value));
}

/// <summary>What a batch did; counted once it is committed.</summary>
internal sealed class BatchTally
{
    private readonly List<long> _ends = [];

    public int Started { get; private set; }

    /// <summary>Failed instances that went on: they are in flight again.</summary>
    public int Retried { get; private set; }

    /// <summary>Sum of the monotonic ticks at which the commands were accepted that started or retried instances.</summary>
    public Int128 EnteredTicks { get; private set; }

    public int Called { get; set; }
    public int Completed { get; set; }
    public int Failed { get; set; }
    public int Cancelled { get; set; }
    public int Suspended { get; set; }
    public int Resumed { get; set; }
    public int Signals { get; set; }

    /// <summary>Signals that an instance or a receiver has consumed.</summary>
    public int SignalsConsumed { get; set; }

    public int SignalsExpired { get; set; }
    public int Messages { get; set; }
    public int DeadLettered { get; set; }

    /// <summary>For each instance that ended, the sequence that its last event has if it raises one.</summary>
    public IReadOnlyList<long> Ends => _ends;

    public void Start(long acceptedTicks)
    {
        Started++;
        EnteredTicks += acceptedTicks;
    }

    public void Retry(long acceptedTicks)
    {
        Retried++;
        EnteredTicks += acceptedTicks;
    }

    public void End(long sequence) => _ends.Add(sequence);
}

/// <summary>
/// One term of the in-flight integral: how many instances passed a point (enter, leave), and the sum of the times at which they did. With n
/// entered at times that sum up to a, and m left at times that sum up to b, the integral of the instances in flight up to a time t is
/// (n - m) t - (a - b). Two numbers a point, and no history.
/// </summary>
internal sealed class InFlightTerm
{
    private readonly Lock _gate = new();
    private long _count;
    private Int128 _ticks;

    public void Add(long count, Int128 ticks)
    {
        lock (_gate)
        {
            _count += count;
            _ticks += ticks;
        }
    }

    public (long Count, Int128 Ticks) Read()
    {
        lock (_gate)
        {
            return (_count, _ticks);
        }
    }
}
