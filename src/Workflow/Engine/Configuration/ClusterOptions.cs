using Workflow.Abstractions.Notifications;

namespace Workflow.Engine.Configuration;

/// <summary>
/// Options of a node that shares its store with others. They have no effect on a store that one engine owns alone.
/// </summary>
public sealed record ClusterOptions
{
    /// <summary>The node's name in logs and statistics. Default: machine and process id.</summary>
    public string NodeName { get; init; } = $"{Environment.MachineName}-{Environment.ProcessId}";

    /// <summary>
    /// How long a node owns its lanes without a renewal. A takeover takes about as long. Default 2 s, minimum 200 ms.
    /// </summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How often leases are renewed. Default 0.5 s; at most half of <see cref="Lease"/>.</summary>
    public TimeSpan RenewalInterval { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>
    /// How often an owner reads its inboxes while there are other nodes. A notification makes it read immediately.
    /// Default 100 ms.
    /// </summary>
    public TimeSpan InboxInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// How long a command waits for the reply of the lane's owner before it is refused. Default 10 s.
    /// </summary>
    public TimeSpan AnswerTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Notifies the owners of lanes about new messages. The engine disposes it. Default: no notifications; owners poll.
    /// </summary>
    public INotifier Notifier { get; init; } = new NoNotifier();

    /// <summary>
    /// Carries requests that need a reply to the owners of their lanes, after both nodes have published an address
    /// (<c>WorkflowEngine.PublishAddress</c>). Default: null; requests use the owners' inboxes.
    /// </summary>
    public IPeerTransport? Peers { get; init; }

    /// <summary>Returns a message for each option out of range; empty if all are valid.</summary>
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
            yield return $"{nameof(RenewalInterval)} is {RenewalInterval}; it must be positive and at most half of "
                + $"{nameof(Lease)}, which is {Lease}.";
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
