using System.Data.Common;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle;

/// <summary>Nodes, leases and inboxes in the tables of the store.</summary>
internal sealed class OracleCluster(OracleDatabase database) : IClusterStore
{
    public async Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        var outcome = await database.RunAsync(
            Sql.Cluster["join_cluster"],
            cancellationToken,
            Bind.Id("p_node", node.Id),
            Bind.Text("p_name", node.Name),
            Bind.Number("p_lanes", lanes),
            LeaseLength(lease),
            Bind.OutNumber("p_current"),
            Bind.OutText("p_names")).ConfigureAwait(false);
        if (outcome.OptionalNumber("p_current") is { } current)
        {
            throw new LaneCountMismatchException(lanes, checked((int)current), outcome.Text("p_names") ?? "");
        }
    }

    public async Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken)
    {
        await database.RunAsync(
            Sql.Cluster["renew_leases"], cancellationToken, Bind.Id("p_node", node), LeaseLength(lease))
            .ConfigureAwait(false);
        var entries = await database.ListAsync(Sql.Cluster["view_cluster"], Entry.Read, cancellationToken)
            .ConfigureAwait(false);
        var first = entries.FirstOrDefault()
            ?? throw new StoreUnavailableException("No node has ever joined this store.", outcomeUnknown: false);
        return new()
        {
            LaneCount = first.LaneCount,
            Lanes = [.. entries.Select(e => e.Lane).OfType<LeaseRow>()],
            Nodes = [.. entries.Select(e => e.Node).OfType<NodeRow>()],
            LastDefinition = first.LastDefinition,
        };
    }

    public async Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        if (lanes.Count == 0)
        {
            return [];
        }

        var outcome = await database.RunAsync(
            Sql.Cluster["claim_lanes"], cancellationToken, Bind.Id("p_node", node), Numbers(lanes), LeaseLength(lease),
            Bind.OutText("p_taken")).ConfigureAwait(false);
        var taken = outcome.Text("p_taken") ?? "";
        return [.. taken.Split(',', StringSplitOptions.RemoveEmptyEntries)
            .Select(lane => int.Parse(lane, CultureInfo.InvariantCulture))];
    }

    public Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        lanes.Count == 0
        ? Task.CompletedTask
        : database.RunAsync(Sql.Cluster["release_lanes"], cancellationToken, Bind.Id("p_node", node), Numbers(lanes));

    public Task LeaveAsync(Guid node, CancellationToken cancellationToken) =>
        database.RunAsync(Sql.Cluster["leave_cluster"], cancellationToken, Bind.Id("p_node", node));

    public async Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken)
    {
        if (messages.Count == 0)
        {
            return [];
        }

        await database.RunAsync(
            Sql.Inbox["put_messages"], cancellationToken,
            Bind.Document("p_messages", OracleFlush.Of(messages))).ConfigureAwait(false);
        try
        {
            return await database.FindKeysAsync(
                [.. messages.Select(m => m.Key?.Key).OfType<string>().Distinct(StringComparer.Ordinal)],
                cancellationToken).ConfigureAwait(false);
        }
        catch (StoreUnavailableException e)
        {
            // They were put; by whom a key was taken is not known.
            throw new StoreUnavailableException(e.Message, outcomeUnknown: true, e);
        }
    }

    public async Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) => lanes.Count == 0
        ? []
        : await database.ListAsync(
            Sql.Inbox["read_inbox"],
            OracleRows.Pending,
            cancellationToken,
            Bind.Number("p_lane_count", lanes.First().Count),
            Numbers(lanes.Select(l => l.Index)),
            Bind.Number("p_limit", limit)).ConfigureAwait(false);

    public async Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken)
    {
        if (messages.Count == 0)
        {
            return [];
        }

        var replies = await database.ListAsync(Sql.Inbox["read_replies"], OracleRows.Reply, cancellationToken,
            Bind.Document("p_messages", OracleFlush.Of(messages))).ConfigureAwait(false);
        if (replies.Count > 0)
        {
            var taken = Bind.Document("p_messages", OracleFlush.Of(replies.Select(r => r.MessageId)));
            await database.RunAsync(Sql.Inbox["remove_replies"], cancellationToken, taken).ConfigureAwait(false);
        }

        return replies;
    }

    public async Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        (await database.ListAsync(
            Sql.Cluster["read_stream_ends"], r => KeyValuePair.Create(r.GetInt32(0), r.GetInt64(1)),
            cancellationToken).ConfigureAwait(false)).ToDictionary();

    private static Bind LeaseLength(TimeSpan lease) => Bind.Number("p_lease_ms", (long)lease.TotalMilliseconds);

    /// <summary>At most 64 numbers: well within a VARCHAR2.</summary>
    private static Bind Numbers(IEnumerable<int> lanes) => Bind.Text("p_lanes", JsonSerializer.Serialize(lanes));

    /// <summary>A row of <c>ViewCluster</c>: a lane or a node.</summary>
    private sealed record Entry(LeaseRow? Lane, NodeRow? Node, int LaneCount, long LastDefinition)
    {
        public static Entry Read(DbDataReader r)
        {
            var isLane = r.GetInt32(0) == 0;
            return new(
                isLane ? new(r.GetInt32(1), OracleRows.OptionalId(r, 2),
                    TimeSpan.FromMilliseconds(r.IsDBNull(5) ? 0 : r.GetInt64(5)),
                    r.GetInt64(6)) : null,
                isLane ? null : new(OracleRows.Id(r, 2), r.GetString(3), OracleRows.Time(r, 4), r.GetInt32(7) == 1),
                r.GetInt32(8),
                r.GetInt64(9));
        }
    }
}
