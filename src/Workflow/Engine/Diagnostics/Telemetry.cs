using System.Diagnostics.Metrics;

namespace Workflow.Engine.Diagnostics;

/// <summary>The instruments, meter <c>Workflow.Engine</c>; the same counts serve <see cref="Abstractions.EngineStatistics"/>.</summary>
internal sealed class Telemetry(Meter meter) : IDisposable
{
    public Telemetry()
        : this(new Meter("Workflow.Engine"))
    {
    }

    public Count Started { get; } = new(meter, "workflow.instances.started", "{instance}");
    public Count Completed { get; } = new(meter, "workflow.instances.completed", "{instance}");
    public Count Failed { get; } = new(meter, "workflow.instances.failed", "{instance}");
    public Count Called { get; } = new(meter, "workflow.instances.called", "{instance}");
    public Count Cancelled { get; } = new(meter, "workflow.instances.cancelled", "{instance}");
    public Count Signals { get; } = new(meter, "workflow.signals.accepted", "{signal}");
    public Count SignalsConsumed { get; } = new(meter, "workflow.signals.consumed", "{signal}");
    public Count SignalsExpired { get; } = new(meter, "workflow.signals.expired", "{signal}");
    public Count Commits { get; } = new(meter, "workflow.commits", "{commit}");
    public Count Flushes { get; } = new(meter, "workflow.flushes", "{flush}");
    public Count FailedFlushes { get; } = new(meter, "workflow.flushes.failed", "{commit}");
    public Count LaneReloads { get; } = new(meter, "workflow.lanes.reloads", "{load}");
    public Count FlushedCommands { get; } = new(meter, "workflow.commands.flushed", "{command}");
    public Count RejectedCommands { get; } = new(meter, "workflow.commands.rejected", "{command}");
    public Count CrossPartitionMessages { get; } = new(meter, "workflow.messages.cross_partition", "{message}");
    public Count DeadLettered { get; } = new(meter, "workflow.dead_letters.created", "{letter}");
    public Count PendingCommands { get; } = new(meter, "workflow.commands.pending", "{command}", isGauge: true);

    public void Flushed(int commands, BatchTally tally)
    {
        Flushes.Add(1);
        FlushedCommands.Add(commands);
        Started.Add(tally.Started);
        Completed.Add(tally.Completed);
        Failed.Add(tally.Failed);
        Called.Add(tally.Called);
        Cancelled.Add(tally.Cancelled);
        Signals.Add(tally.Signals);
        SignalsConsumed.Add(tally.SignalsConsumed);
        SignalsExpired.Add(tally.SignalsExpired);
        CrossPartitionMessages.Add(tally.Messages);
        DeadLettered.Add(tally.DeadLettered);
    }

    public void Dispose() => meter.Dispose();
}

/// <summary>A count that can be read here as well as by who listens to the meter.</summary>
internal sealed class Count
{
    private long _value;

    public Count(Meter meter, string name, string unit, bool isGauge = false) => _ = isGauge
        ? meter.CreateObservableGauge(name, () => Value, unit)
        : (Instrument)meter.CreateObservableCounter(name, () => Value, unit);

    public long Value => Interlocked.Read(ref _value);
    public void Add(long more) => Interlocked.Add(ref _value, more);
}

/// <summary>What a batch did; counted once it is committed.</summary>
internal sealed class BatchTally
{
    private readonly List<long> _ends = [];

    public int Started { get; private set; }

    /// <summary>Sum of the monotonic ticks at which the commands were accepted that started instances.</summary>
    public Int128 StartedTicks { get; private set; }

    public int Called { get; set; }
    public int Completed { get; set; }
    public int Failed { get; set; }
    public int Cancelled { get; set; }
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
        StartedTicks += acceptedTicks;
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
