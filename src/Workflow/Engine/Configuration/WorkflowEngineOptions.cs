using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Configuration;

/// <summary>Options of an engine, validated once by its constructor.</summary>
public sealed record WorkflowEngineOptions
{
    /// <summary>
    /// Single-writer lanes, which apply commands beside one another. Default: half the processors, 1 to 8. PostgreSQL
    /// and memory commit all lanes in one transaction; elsewhere each lane has its own commits. Signals between
    /// partitions of different lanes cost a commit more.
    /// </summary>
    public int Lanes { get; init; } = Math.Clamp(Environment.ProcessorCount / 2, 1, 8);

    /// <summary>
    /// The maximum number of commands in one flush; fewer if their instances are large. Default 512: larger batches
    /// only add latency.
    /// </summary>
    public int MaxBatchCommands { get; init; } = 512;

    /// <summary>
    /// The maximum number of steps that one command may execute before the instance fails, so that a loop cannot block
    /// a lane. Default 10,000.
    /// </summary>
    public int MaxStepsPerCommand { get; init; } = 10_000;

    /// <summary>
    /// Work that one command may do, over all its instances and sub-workflows, before the instance at work fails:
    /// copying a list in a loop cannot hold a lane. In units of about 20 ns: an expression costs its parts and the
    /// values it visits or makes, texts by their length; what is written out costs a unit a character, an effect of a
    /// step 100. Default 1,000,000, so about 20 ms.
    /// </summary>
    public long MaxWorkPerCommand { get; init; } = 1_000_000;

    /// <summary>Size limits of instances, signal buffers and definitions.</summary>
    public EngineLimits Limits { get; init; } = new();

    /// <summary>
    /// How long a signal without a waiter is kept. It then expires with a <c>SignalExpired</c> event. Default 1 hour.
    /// </summary>
    public TimeSpan SignalTimeToLive { get; init; } = TimeSpan.FromHours(1);

    /// <summary>
    /// How long commands wait for a store that is unavailable, or does not answer (then at least 5 s), before they are
    /// refused. Default 10 s.
    /// </summary>
    public TimeSpan OutageTolerance { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How many live instances stay in memory.</summary>
    public ResidencyOptions Residency { get; init; } = new();

    /// <summary>How long expired data is kept.</summary>
    public RetentionOptions Retention { get; init; } = new();

    /// <summary>
    /// The number of events that a lane keeps in memory for readers. Older events are read from the store. Default
    /// 16,384.
    /// </summary>
    public int EventWindow { get; init; } = 16_384;

    public ClusterOptions Cluster { get; init; } = new();
    public IReadOnlyList<Activity> Activities { get; init; } = [];

    /// <summary>The signal names that go to a receiver instead of an instance.</summary>
    public IReadOnlyList<SignalReceiver> SignalReceivers { get; init; } = [];

    /// <summary>
    /// Whether to refuse a signal whose name no registered definition and no receiver takes. Default false: the signal
    /// is kept, the reply says so, and a definition that is registered in time takes it.
    /// </summary>
    public bool RefusesUnreceivedSignals { get; init; }

    public IReadOnlyList<IEventPublisher> Publishers { get; init; } = [];

    /// <summary>
    /// Whether a new version of a definition raises the event <c>DefinitionRegistered</c>. Default false: nodes and
    /// clients of earlier builds cannot read this event.
    /// </summary>
    public bool PublishesDefinitions { get; init; }

    internal void Validate()
    {
        var errors = new List<string>();
        Check(Lanes is >= 1 and <= Partitioning.Count,
            $"{nameof(Lanes)} is {Lanes}; it must be 1 to {Partitioning.Count}.");
        Check(MaxBatchCommands >= 1, $"{nameof(MaxBatchCommands)} is {MaxBatchCommands}; it must be 1 or more.");
        Check(MaxStepsPerCommand >= 1, $"{nameof(MaxStepsPerCommand)} is {MaxStepsPerCommand}; it must be 1 or more.");
        Check(MaxWorkPerCommand >= 1, $"{nameof(MaxWorkPerCommand)} is {MaxWorkPerCommand}; it must be 1 or more.");
        Check(SignalTimeToLive > TimeSpan.Zero,
            $"{nameof(SignalTimeToLive)} is {SignalTimeToLive}; it must be positive.");
        Check(SignalTimeToLive <= IsoDuration.Longest,
            $"{nameof(SignalTimeToLive)} is {SignalTimeToLive}; it must be at most {IsoDuration.Longest.Days} days.");
        Check(OutageTolerance >= TimeSpan.Zero,
            $"{nameof(OutageTolerance)} is {OutageTolerance}; it must not be negative.");
        Check(EventWindow >= 1, $"{nameof(EventWindow)} is {EventWindow}; it must be 1 or more.");
        errors.AddRange(Limits.Violations());
        errors.AddRange(Residency.Violations());
        errors.AddRange(Retention.Violations());
        errors.AddRange(Cluster.Violations());
        foreach (var receiver in SignalReceivers.Where(r => r.MaxAttempts < 1))
        {
            errors.Add(
                $"{nameof(SignalReceiver.MaxAttempts)} of the receiver '{receiver.Name}' is {receiver.MaxAttempts}; it "
                    + "must be 1 or more.");
        }

        CheckUnique(nameof(Activities), Activities.Select(a => a.Name));
        CheckUnique(nameof(SignalReceivers), SignalReceivers.Select(r => r.Name));
        if (errors.Count > 0)
        {
            throw new ArgumentException("The engine options are wrong: " + string.Join(" ", errors));
        }

        void Check(bool holds, string message)
        {
            if (!holds)
            {
                errors.Add(message);
            }
        }

        void CheckUnique(string option, IEnumerable<string> names)
        {
            foreach (var twice in names.GroupBy(n => n, StringComparer.Ordinal).Where(g => g.Count() > 1))
            {
                errors.Add($"{option} names '{twice.Key}' {twice.Count()} times; each name may occur once.");
            }
        }
    }
}
