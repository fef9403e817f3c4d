namespace Workflow.Abstractions.Stores;

/// <summary>
/// The shared state of several engines (nodes) on one store: the live nodes, the leases of lanes, and an inbox for each
/// partition. All instants come from the server, so that clocks of nodes do not matter. A lease only says which node
/// may work on a lane. The lane's epoch protects the data: <see cref="ClaimAsync"/> and
/// <see cref="ILaneStore.LoadAsync"/> raise it, and every flush checks it. Each call is one transaction and may run
/// concurrently with the others and with flushes. No call may wait for another node.
/// </summary>
public interface IClusterStore
{
    /// <summary>
    /// Adds a node as active. All nodes have the same number of lanes: if the number differs and no other node is live,
    /// the call changes the number, frees every lane and raises every epoch. Missing lanes are created, free.
    /// </summary>
    /// <param name="node">Id of this life of the node, and its name for people.</param>
    /// <param name="lanes">How many lanes the node works with, 1 to 64.</param>
    /// <param name="lease">How long the node counts as live without a renewal.</param>
    /// <exception cref="Exceptions.LaneCountMismatchException">Other live nodes work with another number.</exception>
    Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>
    /// Renews the node's membership and all its leases, including expired leases that no node has claimed, and returns
    /// the state of the cluster. The call must be cheap and must not wait for a flush; it need not be durable. A node
    /// that is missing in the result was forgotten and joins again.
    /// </summary>
    Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>
    /// Takes lanes that are free or whose lease has expired, and raises their epochs, so that former owners cannot
    /// commit.
    /// </summary>
    /// <returns>The lanes that were taken.</returns>
    Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>Frees those of the lanes that the node owns.</summary>
    Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken);

    /// <summary>Whether nodes can publish their addresses, and ask one another directly.</summary>
    bool KeepsAddresses => false;

    /// <summary>
    /// Publishes the address of the node for other nodes, and a secret by which nodes authenticate one another: the
    /// cluster uses the first secret that was published. A store that does not keep them does nothing; its nodes then
    /// reach one another through their inboxes only.
    /// </summary>
    Task PublishAsync(Guid node, Uri address, string secret, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Frees all lanes of the node and marks it as left, in one transaction. It never comes back under this id.
    /// </summary>
    Task LeaveAsync(Guid node, CancellationToken cancellationToken);

    /// <summary>
    /// Puts messages into the inboxes of their partitions, durably, all in one transaction. A message with an
    /// idempotency key is put only where the key is new, and the key is stored with it; of one key in several messages
    /// the first counts.
    /// </summary>
    /// <returns>
    /// The stored row of every idempotency key given: a message was put if and only if it has no key or its row is the
    /// one stored.
    /// </returns>
    Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken);

    /// <summary>
    /// The oldest messages (<see cref="PendingKind.Message"/>) of the lanes' partitions, by position.
    /// </summary>
    /// <param name="limit">The maximum number of messages, 1 or more.</param>
    Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken);

    /// <summary>Reads and removes the available answers to the messages.</summary>
    Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken);

    /// <summary>The sequence of the last committed event of every lane's stream.</summary>
    Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken);
}
