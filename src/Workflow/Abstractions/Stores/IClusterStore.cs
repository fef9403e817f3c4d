namespace Workflow.Abstractions.Stores;

/// <summary>
/// What several engines (nodes) on one store share: who is there, who owns which lane until when, and an inbox for each partition. Every
/// instant is the server's own, so that clocks of nodes do not matter. A lease only says who may work; what protects the data is the lane's
/// epoch, which <see cref="ClaimAsync"/> and <see cref="ILaneStore.LoadAsync"/> raise and every flush is guarded by.
/// Each call is one transaction and may run beside the others and beside flushes. Nothing here may wait for another node.
/// </summary>
public interface IClusterStore
{
    /// <summary>
    /// Adds a node as active. The number of lanes is the cluster's: where it differs, and no other node is live, it is changed, every lane
    /// is freed and every epoch raised. Lanes that are not there yet are made, free.
    /// </summary>
    /// <param name="node">Id of this life of the node, and its name for people.</param>
    /// <param name="lanes">How many lanes the node works with, 1 to 64.</param>
    /// <param name="lease">How long the node counts as live without a renewal.</param>
    /// <exception cref="Exceptions.LaneCountMismatchException">Other live nodes work with another number.</exception>
    Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>
    /// Prolongs the node's membership and all its leases (also one that has run out and that nobody has claimed) and returns the state of
    /// the cluster. It must be cheap and must not wait for a flush; it need not be durable. A node that is not in the view any more was
    /// forgotten and joins again.
    /// </summary>
    Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>Takes lanes that are free or whose lease has run out, and raises their epochs: no former owner commits any more.</summary>
    /// <returns>The lanes that were taken.</returns>
    Task<IReadOnlyList<int>> ClaimAsync(Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>Frees those of the lanes that the node owns.</summary>
    Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken);

    /// <summary>
    /// Publishes where other nodes reach the node, and the secret by which nodes know one another: the first one published is the
    /// cluster's. A store that does not keep them does nothing; its nodes reach one another by their inboxes alone.
    /// </summary>
    Task PublishAsync(Guid node, Uri address, string secret, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Frees all lanes of the node and marks it as left, in one transaction. It never comes back under this id.</summary>
    Task LeaveAsync(Guid node, CancellationToken cancellationToken);

    /// <summary>
    /// Puts messages into the inboxes of their partitions, durably, all in one transaction. A message with an idempotency key is put only
    /// where the key is new, and the key is stored with it; of one key in several messages the first counts.
    /// </summary>
    /// <returns>The stored row of every idempotency key given: a message was put if and only if it has no key or its row is the one
    /// stored.</returns>
    Task<IReadOnlyList<IdempotencyRow>> PutAsync(IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken);

    /// <summary>The oldest messages (<see cref="PendingKind.Message"/>) of the lanes' partitions, by position.</summary>
    /// <param name="limit">At most so many, 1 or more.</param>
    Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken);

    /// <summary>Reads the answers there are to the messages, and removes them.</summary>
    Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken);

    /// <summary>The sequence of the last committed event of every lane's stream.</summary>
    Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken);
}

/// <summary>One life of a node.</summary>
/// <param name="Id">New at every start.</param>
/// <param name="Name">Its name for people.</param>
public sealed record NodeIdentity(Guid Id, string Name);

/// <summary>How things stood at one instant.</summary>
public sealed record ClusterView
{
    /// <summary>How many lanes the partitions are divided among.</summary>
    public required int LaneCount { get; init; }

    /// <summary>Every lane there is, by number.</summary>
    public required IReadOnlyList<LeaseRow> Lanes { get; init; }

    /// <summary>Live nodes, and for a minute those that were: what they put into an inbox last may still lie there.</summary>
    public required IReadOnlyList<NodeRow> Nodes { get; init; }

    /// <summary>The number of the last definition, 0 without one; a node that has not read so far reads on.</summary>
    public required long LastDefinition { get; init; }

    /// <summary>What the nodes of this cluster know one another by; null before one was published. Never printed.</summary>
    public string? Secret { get; init; }
}

/// <summary>A node as the store sees it.</summary>
/// <param name="IsLive">Whether it is active and has renewed within its lease.</param>
/// <param name="Address">Where other nodes reach it; null where it has published none.</param>
public sealed record NodeRow(Guid Id, string Name, DateTimeOffset StartedUtc, bool IsLive, Uri? Address = null);

/// <summary>Who owns a lane.</summary>
/// <param name="Lane">From 0. Those past the number of lanes are left from an engine with more: they own no partition, but a stream of
/// events.</param>
/// <param name="Owner">The node; null when the lane is free.</param>
/// <param name="Left">How long the lease still lasts; zero or less when it has run out, or the lane is free.</param>
/// <param name="LastSequence">The last committed event of the lane's stream.</param>
public sealed record LeaseRow(int Lane, Guid? Owner, TimeSpan Left, long LastSequence);

/// <param name="Row">A message.</param>
/// <param name="Key">Its idempotency key, which names the message or what comes of it; null without one.</param>
public sealed record InboxMessage(PendingRow Row, IdempotencyRow? Key = null);
