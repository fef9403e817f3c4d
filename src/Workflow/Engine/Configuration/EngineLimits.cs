namespace Workflow.Engine.Configuration;

/// <summary>
/// Size limits that protect the memory and the commits of all instances. Sizes are characters of JSON without escapes.
/// </summary>
public sealed record EngineLimits
{
    /// <summary>
    /// The maximum number of commands pending in a lane, and in a node's queue to other nodes. Further commands are
    /// refused with <c>overloaded</c>. Default 8,192.
    /// </summary>
    public int MaxPendingCommands { get; init; } = 8_192;

    /// <summary>
    /// The maximum size of the inputs, payloads and outputs of pending commands, in a lane and in a node's queue to
    /// other nodes. Further commands are refused with <c>overloaded</c>. Default 67,108,864.
    /// </summary>
    public long MaxPendingSize { get; init; } = 64L * 1_048_576;

    /// <summary>
    /// The maximum number of activities that run on a node at the same time, including those called again after a
    /// restart. The others wait in the order in which they began. The waiting time counts for the timeout of the step.
    /// Default 1,000.
    /// </summary>
    public int MaxRunningActivities { get; init; } = 1_000;

    /// <summary>
    /// The maximum size of an instance's variables, of its output, of an input, payload or result, and of the variables
    /// together with the inputs of running activities. A larger instance fails; a command with a larger value is
    /// refused. Default 2,097,152.
    /// </summary>
    public int MaxInstanceSize { get; init; } = 2 * 1_048_576;

    /// <summary>
    /// The maximum number of open waits of an instance: signals, timers, tasks, activities, calls. Beyond it, the
    /// instance fails. Default 1,000.
    /// </summary>
    public int MaxOpenWaits { get; init; } = 1_000;

    /// <summary>
    /// The maximum number of sub-workflows that an instance calls in its life. Beyond it, the instance fails. Default
    /// 10,000.
    /// </summary>
    public int MaxChildren { get; init; } = 10_000;

    /// <summary>
    /// Signals sent to one instance that no step has taken. More are refused with <c>signals-full</c>. Default 1,000.
    /// </summary>
    public int MaxInboxSignals { get; init; } = 1_000;

    /// <summary>Size of their payloads together. More is refused with <c>signals-full</c>. Default 4,194,304.</summary>
    public int MaxInboxSize { get; init; } = 4 * 1_048_576;

    /// <summary>
    /// Signals kept for one name and correlation key, delayed ones not counted. More are refused with
    /// <c>signals-full</c>. Default 10,000.
    /// </summary>
    public int MaxSignalsPerKey { get; init; } = 10_000;

    /// <summary>Signals kept in a lane. More are refused with <c>signals-full</c>. Default 1,000,000.</summary>
    public int MaxSignals { get; init; } = 1_000_000;

    /// <summary>
    /// Size of their payloads together. More is refused with <c>signals-full</c>. Default 268,435,456.
    /// </summary>
    public long MaxSignalsSize { get; init; } = 256L * 1_048_576;

    /// <summary>
    /// The maximum size in bytes of the events that a lane keeps in memory for readers, in addition to their number
    /// (<see cref="WorkflowEngineOptions.EventWindow"/>). Older events are read from the store. Default 67,108,864.
    /// </summary>
    public long MaxEventWindowSize { get; init; } = 64L * 1_048_576;

    /// <summary>
    /// The maximum number of versions of all definitions. Further ones are refused with <c>definitions-full</c>.
    /// Default 10,000.
    /// </summary>
    public int MaxDefinitions { get; init; } = 10_000;

    /// <summary>
    /// The maximum size of the canonical JSON of all definitions. Further ones are refused with
    /// <c>definitions-full</c>. Default 67,108,864.
    /// </summary>
    public long MaxDefinitionsSize { get; init; } = 64L * 1_048_576;

    /// <summary>Returns a message for each limit out of range; empty if all are valid.</summary>
    public IEnumerable<string> Violations()
    {
        (string Name, long Value)[] limits =
        [
            (nameof(MaxPendingCommands), MaxPendingCommands), (nameof(MaxPendingSize), MaxPendingSize),
            (nameof(MaxRunningActivities), MaxRunningActivities),
            (nameof(MaxInstanceSize), MaxInstanceSize), (nameof(MaxOpenWaits), MaxOpenWaits),
            (nameof(MaxChildren), MaxChildren),
            (nameof(MaxInboxSignals), MaxInboxSignals), (nameof(MaxInboxSize), MaxInboxSize),
            (nameof(MaxSignalsPerKey), MaxSignalsPerKey), (nameof(MaxSignals), MaxSignals),
            (nameof(MaxSignalsSize), MaxSignalsSize),
            (nameof(MaxEventWindowSize), MaxEventWindowSize), (nameof(MaxDefinitions), MaxDefinitions),
            (nameof(MaxDefinitionsSize), MaxDefinitionsSize),
        ];
        return limits.Where(l => l.Value < 1).Select(l => $"{l.Name} is {l.Value}; it must be 1 or more.");
    }
}
