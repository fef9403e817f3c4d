namespace Workflow.Engine.Diagnostics;

/// <summary>The counts of a batch, which are added to the totals after its commit.</summary>
internal sealed class BatchTally
{
    private readonly List<long> _ends = [];

    public int Started { get; private set; }

    /// <summary>Failed instances that were retried and are in flight again.</summary>
    public int Retried { get; private set; }

    /// <summary>The sum of the monotonic acceptance ticks of the commands that started or retried instances.</summary>
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

    /// <summary>For each finished instance, the sequence of its last event if it raises one.</summary>
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
