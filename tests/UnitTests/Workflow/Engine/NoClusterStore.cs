namespace UnitTests.Workflow.Engine;

/// <summary>Does nothing that a test does not say.</summary>
internal class NoClusterStore : IClusterStore
{
    public virtual Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public virtual Task LeaveAsync(Guid node, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

    public virtual Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken) => throw new NotSupportedException();

    public virtual Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException();
}
