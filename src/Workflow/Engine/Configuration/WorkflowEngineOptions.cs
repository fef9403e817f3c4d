using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Notifications;

namespace Workflow.Engine.Configuration;

/// <summary>Options of an engine, validated once by its constructor.</summary>
public sealed record WorkflowEngineOptions
{
    /// <summary>
    /// Single-writer lanes, which apply commands beside one another. Default: half the processors, 1 to 8. PostgreSQL and memory commit
    /// all lanes in one transaction; elsewhere each lane has its own commits. Signals between partitions of different lanes cost a commit
    /// more.
    /// </summary>
    public int Lanes { get; init; } = Math.Clamp(Environment.ProcessorCount / 2, 1, 8);

    /// <summary>Commands in one flush at most, and fewer of large instances. Default 512: larger batches only add latency.</summary>
    public int MaxBatchCommands { get; init; } = 512;

    /// <summary>Steps that one command may execute in an instance before it fails: a loop cannot hang a lane. Default 10,000.</summary>
    public int MaxStepsPerCommand { get; init; } = 10_000;

    /// <summary>
    /// Work that one command may do, over all its instances and sub-workflows, before the instance at work fails: copying a list in a loop
    /// cannot hold a lane. In units of about 20 ns: an expression costs its parts and the values it visits or makes, texts by their length;
    /// what is written out costs a unit a character, an effect of a step 100. Default 1,000,000, so about 20 ms.
    /// </summary>
    public long MaxWorkPerCommand { get; init; } = 1_000_000;

    /// <summary>How large instances, buffers of signals and the set of definitions may get.</summary>
    public EngineLimits Limits { get; init; } = new();

    /// <summary>How long a signal without a waiter is kept. Default 1 hour; then it expires with a <c>SignalExpired</c> event.</summary>
    public TimeSpan SignalTimeToLive { get; init; } = TimeSpan.FromHours(1);

    /// <summary>
    /// How long commands wait for a store that is gone, or does not answer (then at least 5 s), before they are refused. Default 10 s.
    /// </summary>
    public TimeSpan OutageTolerance { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long what is over is kept.</summary>
    public RetentionOptions Retention { get; init; } = new();

    /// <summary>Events kept in memory per lane for readers; older ones are read from the store. Default 16,384.</summary>
    public int EventWindow { get; init; } = 16_384;

    public ClusterOptions Cluster { get; init; } = new();
    public IReadOnlyList<Activity> Activities { get; init; } = [];

    /// <summary>Signal names that go to a receiver instead of an instance.</summary>
    public IReadOnlyList<SignalReceiver> SignalReceivers { get; init; } = [];

    public IReadOnlyList<IEventPublisher> Publishers { get; init; } = [];

    /// <summary>
    /// Whether a new version of a definition is an event, <c>DefinitionRegistered</c>. Default false: nodes and clients of builds before
    /// this event cannot read it.
    /// </summary>
    public bool PublishesDefinitions { get; init; }

    internal void Validate()
    {
        var errors = new List<string>();
        Check(Lanes is >= 1 and <= Partitioning.Count, $"{nameof(Lanes)} is {Lanes}; it must be 1 to {Partitioning.Count}.");
        Check(MaxBatchCommands >= 1, $"{nameof(MaxBatchCommands)} is {MaxBatchCommands}; it must be 1 or more.");
        Check(MaxStepsPerCommand >= 1, $"{nameof(MaxStepsPerCommand)} is {MaxStepsPerCommand}; it must be 1 or more.");
        Check(MaxWorkPerCommand >= 1, $"{nameof(MaxWorkPerCommand)} is {MaxWorkPerCommand}; it must be 1 or more.");
        Check(SignalTimeToLive > TimeSpan.Zero, $"{nameof(SignalTimeToLive)} is {SignalTimeToLive}; it must be positive.");
        Check(SignalTimeToLive <= IsoDuration.Longest,
            $"{nameof(SignalTimeToLive)} is {SignalTimeToLive}; it must be at most {IsoDuration.Longest.Days} days.");
        Check(OutageTolerance >= TimeSpan.Zero, $"{nameof(OutageTolerance)} is {OutageTolerance}; it must not be negative.");
        Check(EventWindow >= 1, $"{nameof(EventWindow)} is {EventWindow}; it must be 1 or more.");
        errors.AddRange(Limits.Violations());
        errors.AddRange(Retention.Violations());
        errors.AddRange(Cluster.Violations());
        foreach (var receiver in SignalReceivers.Where(r => r.MaxAttempts < 1))
        {
            errors.Add(
                $"{nameof(SignalReceiver.MaxAttempts)} of the receiver '{receiver.Name}' is {receiver.MaxAttempts}; it must be 1 or more.");
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

/// <summary>Options of a node that shares its store with others; without effect on a store that one engine owns alone.</summary>
public sealed record ClusterOptions
{
    /// <summary>The node's name in logs and statistics. Default: machine and process id.</summary>
    public string NodeName { get; init; } = $"{Environment.MachineName}-{Environment.ProcessId}";

    /// <summary>How long a node owns its lanes without a renewal; a takeover takes about as long. Default 2 s, from 200 ms.</summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How often leases are renewed. Default 0.5 s; at most half of <see cref="Lease"/>.</summary>
    public TimeSpan RenewalInterval { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>How often an owner reads its inboxes beside other nodes; a notification makes it read at once. Default 100 ms.</summary>
    public TimeSpan InboxInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a command waits for the reply of the lane's owner before it is refused. Default 10 s.</summary>
    public TimeSpan AnswerTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Notifies the owners of lanes about new messages; the engine disposes it. Default: no notifications, owners poll.</summary>
    public INotifier Notifier { get; init; } = new NoNotifier();

    /// <summary>
    /// Carries requests that need an answer to the owners of their lanes, once this node and they have published an address
    /// (<c>WorkflowEngine.PublishAddress</c>). Default: none, and requests go by way of the owners' inboxes.
    /// </summary>
    public IPeerTransport? Peers { get; init; }

    /// <summary>Every option out of its range; empty when all are valid.</summary>
    public IEnumerable<string> Violations()
    {
        if (NodeName.Length is 0 or > 128)
        {
            yield return $"{nameof(NodeName)} has {NodeName.Length} characters; it must have 1 to 128.";
        }

        if (Lease < TimeSpan.FromMilliseconds(200) || Lease > TimeSpan.FromMinutes(1))
        {
            yield return $"{nameof(Lease)} is {Lease}; it must be 0.2 to 60 s.";
        }

        if (RenewalInterval <= TimeSpan.Zero || RenewalInterval * 2 > Lease)
        {
            yield return $"{nameof(RenewalInterval)} is {RenewalInterval}; it must be positive and at most half of {nameof(Lease)}, "
                + $"which is {Lease}.";
        }

        if (InboxInterval <= TimeSpan.Zero)
        {
            yield return $"{nameof(InboxInterval)} is {InboxInterval}; it must be positive.";
        }

        if (AnswerTimeout <= TimeSpan.Zero)
        {
            yield return $"{nameof(AnswerTimeout)} is {AnswerTimeout}; it must be positive.";
        }
    }
}

/// <summary>
/// The way from node to node. A request may be lost, come late or twice: it has a key, and the commit of its owner takes it once.
/// </summary>
public interface IPeerTransport
{
    /// <summary>Sends a request. Never throws: what goes wrong is an outcome.</summary>
    /// <param name="timeout">How long to wait for the reply.</param>
    Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout);
}

/// <summary>Another node.</summary>
/// <param name="Id">Of its present life.</param>
/// <param name="Key">Shows that node that the sender shares its store. Secret, and of no use at any other node.</param>
public sealed record Peer(Guid Id, Uri Address, string Key);

/// <summary>A command for a lane of another node.</summary>
/// <param name="Id">The same however often it is sent.</param>
/// <param name="Body">JSON.</param>
public sealed record PeerRequest(Guid Id, short Partition, string Kind, string Body);

/// <param name="Body">JSON of the result or the refusal, where it was answered.</param>
/// <param name="Owner">Of a node that does not own the lane: who does, as far as it knows.</param>
public readonly record struct PeerReply(PeerOutcome Outcome, string? Body = null, Guid? Owner = null);

/// <summary>What became of a request to another node.</summary>
public enum PeerOutcome
{
    /// <summary>Nobody knows.</summary>
    Unknown,

    /// <summary>The node was not reached, or takes no requests of this one.</summary>
    Unreachable,

    /// <summary>The node does not own the lane, or does not take the request: nothing of it was committed there.</summary>
    NotOwner,

    /// <summary>It was committed, or refused.</summary>
    Answered,
}
