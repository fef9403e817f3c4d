namespace Workflow.Engine.Execution;

/// <summary>What a batch did, counted only once it is committed.</summary>
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

    /// <summary>Signals that an instance or a receiver has taken.</summary>
    public int SignalsConsumed { get; set; }

    /// <summary>Signals that were given up.</summary>
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
