using System.Diagnostics.Metrics;

namespace Workflow.Engine.Diagnostics;

/// <summary>The instruments, meter <c>Workflow.Engine</c>; the same counts serve <see cref="Abstractions.EngineStatistics"/>.</summary>
internal sealed class Telemetry : IDisposable
{
    private readonly Meter _meter = new("Workflow.Engine");
    private long _started;
    private long _completed;
    private long _failed;
    private long _called;
    private long _cancelled;
    private long _signals;
    private long _signalsConsumed;
    private long _signalsExpired;
    private long _flushes;
    private long _flushedCommands;
    private long _failedFlushes;
    private long _rejectedCommands;
    private long _crossPartitionMessages;
    private long _deadLettered;
    private long _pending;

    public Telemetry()
    {
        Observe("workflow.instances.started", "{instance}", () => StartedCount);
        Observe("workflow.instances.completed", "{instance}", () => CompletedCount);
        Observe("workflow.instances.failed", "{instance}", () => FailedCount);
        Observe("workflow.instances.called", "{instance}", () => CalledCount);
        Observe("workflow.instances.cancelled", "{instance}", () => CancelledCount);
        Observe("workflow.signals.accepted", "{signal}", () => SignalCount);
        Observe("workflow.signals.consumed", "{signal}", () => SignalsConsumedCount);
        Observe("workflow.signals.expired", "{signal}", () => SignalsExpiredCount);
        Observe("workflow.flushes", "{commit}", () => FlushCount);
        Observe("workflow.flushes.failed", "{commit}", () => FailedFlushCount);
        Observe("workflow.commands.flushed", "{command}", () => FlushedCommandCount);
        Observe("workflow.commands.rejected", "{command}", () => RejectedCommandCount);
        Observe("workflow.messages.cross_partition", "{message}", () => CrossPartitionMessageCount);
        Observe("workflow.dead_letters.created", "{letter}", () => DeadLetteredCount);
        _meter.CreateObservableGauge("workflow.commands.pending", () => PendingCount, "{command}");
    }

    public long StartedCount => Interlocked.Read(ref _started);
    public long CompletedCount => Interlocked.Read(ref _completed);
    public long FailedCount => Interlocked.Read(ref _failed);
    public long CalledCount => Interlocked.Read(ref _called);
    public long CancelledCount => Interlocked.Read(ref _cancelled);
    public long SignalCount => Interlocked.Read(ref _signals);
    public long SignalsConsumedCount => Interlocked.Read(ref _signalsConsumed);
    public long SignalsExpiredCount => Interlocked.Read(ref _signalsExpired);
    public long FlushCount => Interlocked.Read(ref _flushes);
    public long FlushedCommandCount => Interlocked.Read(ref _flushedCommands);
    public long FailedFlushCount => Interlocked.Read(ref _failedFlushes);
    public long RejectedCommandCount => Interlocked.Read(ref _rejectedCommands);
    public long CrossPartitionMessageCount => Interlocked.Read(ref _crossPartitionMessages);
    public long DeadLetteredCount => Interlocked.Read(ref _deadLettered);
    public long PendingCount => Interlocked.Read(ref _pending);

    public void CommandRejected() => Interlocked.Increment(ref _rejectedCommands);
    public void FlushFailed() => Interlocked.Increment(ref _failedFlushes);

    public void Flushed(int commands, BatchTally tally)
    {
        Interlocked.Increment(ref _flushes);
        Interlocked.Add(ref _flushedCommands, commands);
        Interlocked.Add(ref _started, tally.Started);
        Interlocked.Add(ref _completed, tally.Completed);
        Interlocked.Add(ref _failed, tally.Failed);
        Interlocked.Add(ref _called, tally.Called);
        Interlocked.Add(ref _cancelled, tally.Cancelled);
        Interlocked.Add(ref _signals, tally.Signals);
        Interlocked.Add(ref _signalsConsumed, tally.SignalsConsumed);
        Interlocked.Add(ref _signalsExpired, tally.SignalsExpired);
        Interlocked.Add(ref _crossPartitionMessages, tally.Messages);
        Interlocked.Add(ref _deadLettered, tally.DeadLettered);
    }

    public void Pending(int change) => Interlocked.Add(ref _pending, change);
    public void Dispose() => _meter.Dispose();
    private void Observe(string name, string unit, Func<long> read) => _meter.CreateObservableCounter(name, read, unit);
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
