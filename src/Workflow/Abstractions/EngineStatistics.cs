namespace Workflow.Abstractions;

/// <summary>Counters since the engine started, and gauges of now.</summary>
public sealed record EngineStatistics
{
    /// <summary>Lanes.</summary>
    public required int Lanes { get; init; }

    /// <summary>Gauge: commands accepted and not yet acknowledged.</summary>
    public required long PendingCommands { get; init; }

    /// <summary>Gauge: live instances.</summary>
    public required long LiveInstances { get; init; }

    /// <summary>Gauge: buffered and delayed signals.</summary>
    public required long BufferedSignals { get; init; }

    /// <summary>Gauge: events not yet handed to every publisher.</summary>
    public required long UnpublishedEvents { get; init; }

    /// <summary>Gauge: dead letters that wait for a replay.</summary>
    public required long DeadLetters { get; init; }

    /// <summary>Dead letters made.</summary>
    public required long DeadLettered { get; init; }

    /// <summary>Starts committed.</summary>
    public required long Started { get; init; }

    /// <summary>Instances completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Instances failed.</summary>
    public required long Failed { get; init; }

    /// <summary>Signals accepted.</summary>
    public required long Signals { get; init; }

    /// <summary>Flushes committed.</summary>
    public required long Flushes { get; init; }

    /// <summary>Commands in those flushes.</summary>
    public required long FlushedCommands { get; init; }

    /// <summary>Flushes that failed and were repeated or bisected.</summary>
    public required long FailedFlushes { get; init; }

    /// <summary>Commands refused alone.</summary>
    public required long RejectedCommands { get; init; }

    /// <summary>Messages between partitions of different lanes: each costs a commit more.</summary>
    public required long CrossPartitionMessages { get; init; }
}
