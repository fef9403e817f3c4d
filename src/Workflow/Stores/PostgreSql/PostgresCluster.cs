using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// Membership, leases and inboxes. Renewals use a separate connection and a commit that is not durable: after a crash
/// of the server a lease ends earlier. All other calls use a separate small pool, so that readers of instances do not
/// delay commands.
/// </summary>
internal sealed class PostgresCluster(PostgresDatabase database) : IClusterStore, IAsyncDisposable
{
    private const int MaxDeadlocks = 3;
    private readonly SemaphoreSlim _renewing = new(1, 1);
    private NpgsqlConnection? _membership;

    public async Task JoinAsync(NodeIdentity node, int lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        var (current, insisting) = (await ListAsync(
            Sql.Cluster["join_cluster"],
            r => (r.GetInt32(0), r.IsDBNull(1) ? null : r.GetString(1)),
            cancellationToken,
            Query.Of(node.Id), Query.Of(node.Name), Query.Of(lanes), Query.Of(lease)).ConfigureAwait(false))[0];
        if (current != lanes)
        {
            throw new LaneCountMismatchException(lanes, current, insisting ?? "unknown");
        }
    }

    public async Task<ClusterView> RenewAsync(Guid node, TimeSpan lease, CancellationToken cancellationToken)
    {
        await _renewing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            _membership ??= await ConnectAsync(cancellationToken).ConfigureAwait(false);
            return await RenewAsync(_membership, node, lease, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            // The next renewal opens a new connection after any error.
            if (_membership is not null)
            {
                await _membership.DisposeAsync().ConfigureAwait(false);
                _membership = null;
            }

            if (PostgresErrors.IsConnectionErrorOfCommand(e))
            {
                throw PostgresErrors.ToUnavailable(e, database.Target);
            }

            throw;
        }
        finally
        {
            _renewing.Release();
        }
    }

    public async Task<IReadOnlyList<int>> ClaimAsync(
        Guid node, IReadOnlyCollection<int> lanes, TimeSpan lease, CancellationToken cancellationToken)
    {
        var claimed = await ListAsync(Sql.Cluster["claim_lanes"], r => r.GetInt32(0), cancellationToken, Query.Of(node),
            Query.Of(lanes.ToArray()), Query.Of(lease)).ConfigureAwait(false);
        if (claimed.Count < lanes.Count)
        {
            await ListAsync(
                Sql.Cluster["end_sessions"], _ => 0, cancellationToken,
                Query.Of(lanes.Except(claimed).ToArray())).ConfigureAwait(false);
        }

        return claimed;
    }

    public Task ReleaseAsync(Guid node, IReadOnlyCollection<int> lanes, CancellationToken cancellationToken) =>
        ListAsync(Sql.Cluster["release_lanes"], _ => 0, cancellationToken, Query.Of(node), Query.Of(lanes.ToArray()));

    public bool KeepsAddresses => true;

    public Task PublishAsync(Guid node, Uri address, string secret, CancellationToken cancellationToken) => ListAsync(
        Sql.Cluster["publish_node"], _ => 0, cancellationToken, Query.Of(node), Query.Of(address.AbsoluteUri),
        Query.Of(secret));

    public Task LeaveAsync(Guid node, CancellationToken cancellationToken) =>
        ListAsync(Sql.Cluster["leave_cluster"], _ => 0, cancellationToken, Query.Of(node));

    public async Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken)
    {
        for (var deadlocks = 0; ; deadlocks++)
        {
            try
            {
                return await OnPoolAsync(
                    connection => PutAsync(connection, messages, cancellationToken),
                    cancellationToken).ConfigureAwait(false);
            }
            catch (StoreUnavailableException e) when (e.InnerException is PostgresException { SqlState: "40P01"
                or "40001" }
                && deadlocks < MaxDeadlocks)
            {
                // The server rolled the transaction back in favour of another: nothing was put.
            }
        }
    }

    public Task<IReadOnlyList<PendingRow>> ReadInboxAsync(
        IReadOnlyCollection<LaneAssignment> lanes, int limit, CancellationToken cancellationToken) => ListAsync(
        Sql.Inbox["read_inbox"],
        PostgresRows.Pending,
        cancellationToken,
        Query.Of(lanes.First().Count), Query.Of(lanes.Select(l => l.Index).ToArray()), Query.Of(limit));

    public Task<IReadOnlyList<ReplyRow>> TakeRepliesAsync(
        IReadOnlyCollection<Guid> messages, CancellationToken cancellationToken) =>
        ListAsync(Sql.Inbox["take_replies"], PostgresRows.Reply, cancellationToken, Query.Of(messages.ToArray()));

    public async Task<IReadOnlyDictionary<int, long>> ReadStreamEndsAsync(CancellationToken cancellationToken) =>
        (await ListAsync(
            Sql.Cluster["read_stream_ends"], r => (Lane: r.GetInt32(0), Last: r.GetInt64(1)),
            cancellationToken).ConfigureAwait(false))
            .ToDictionary(e => e.Lane, e => e.Last);

    public async ValueTask DisposeAsync()
    {
        await _renewing.WaitAsync().ConfigureAwait(false);
        if (_membership is not null)
        {
            await _membership.DisposeAsync().ConfigureAwait(false);
        }

        _renewing.Dispose();
    }

    private static async Task<ClusterView> RenewAsync(
        NpgsqlConnection connection, Guid node, TimeSpan lease, CancellationToken cancellationToken)
    {
        var statements = new NpgsqlBatch(connection) { Timeout = Math.Max(1, (int)lease.TotalSeconds) };
        await using (statements.ConfigureAwait(false))
        {
            Query.Add(statements, Sql.Cluster["renew_node"], Query.Of(node), Query.Of(lease));
            Query.Add(statements, Sql.Cluster["renew_leases"], Query.Of(node), Query.Of(lease));
            Query.Add(statements, Sql.Cluster["settle_nodes"]);
            Query.Add(statements, Sql.Cluster["settle_leases"]);
            Query.Add(statements, Sql.Cluster["view_cluster"]);
            Query.Add(statements, Sql.Cluster["view_nodes"]);
            Query.Add(statements, Sql.Cluster["view_lanes"]);
            var reader = await statements.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                var (lanes, definition, secret) = (await Query.ReadAsync(
                    reader, r => (r.GetInt32(0), r.GetInt64(1), r.IsDBNull(2) ? null : r.GetString(2)),
                    cancellationToken)
                    .ConfigureAwait(false))[0];
                return new()
                {
                    LaneCount = lanes,
                    LastDefinition = definition,
                    Secret = secret,
                    Nodes = await Query.ReadNextAsync(reader, PostgresRows.Node, cancellationToken)
                        .ConfigureAwait(false),
                    Lanes = await Query.ReadNextAsync(reader, PostgresRows.Lease, cancellationToken)
                        .ConfigureAwait(false),
                };
            }
        }
    }

    private async Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken)
    {
        var connection = await database.ConnectAsync(cancellationToken).ConfigureAwait(false);
        await Query.RunAsync(connection, Sql.Cluster["renew_lightly"], cancellationToken).ConfigureAwait(false);
        return connection;
    }

    private Task<IReadOnlyList<T>> ListAsync<T>(
        string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters) =>
        OnPoolAsync(
            connection => Query.ListAsync(connection, sql, read, cancellationToken, parameters), cancellationToken);

    private async Task<T> OnPoolAsync<T>(Func<NpgsqlConnection, Task<T>> work, CancellationToken cancellationToken)
    {
        try
        {
            var connection = await database.Inboxes.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
            await using (connection.ConfigureAwait(false))
            {
                return await work(connection).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (PostgresErrors.IsConnectionErrorOfCommand(e))
        {
            if (PostgresErrors.IsLostConnection(e))
            {
                database.Inboxes.Clear();
            }

            throw PostgresErrors.ToUnavailable(e, database.Target, outcomeUnknown: true);
        }
    }

    /// <summary>
    /// Keys first, then what their keys allow, then the keys as they stand; one implicit transaction.
    /// </summary>
    private static async Task<IReadOnlyList<IdempotencyRow>> PutAsync(
        NpgsqlConnection connection, IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken)
    {
        var keys = messages.Where(m => m.Key is not null).Select(m => m.Key!).ToArray();
        var statements = new NpgsqlBatch(connection);
        await using (statements.ConfigureAwait(false))
        {
            if (keys.Length > 0)
            {
                Query.Add(
                    statements,
                    Sql.Inbox["put_keys"],
                    Column(keys, k => k.Key), Column(keys, k => k.RequestHash), Column(keys, k => k.ResultId),
                    Column(keys, k => k.CreatedUtc.UtcDateTime));
            }

            Query.Add(
                statements,
                Sql.Inbox["put_messages"],
                Column(messages, m => m.Row.Id),
                Column(messages, m => m.Row.Partition),
                Column(messages, m => (short)m.Row.Kind),
                Column(messages, m => m.Row.Position),
                Column(messages, m => m.Row.Body),
                Column(messages, m => m.Key?.Key),
                Column(messages, m => m.Key?.ResultId));
            Query.Add(statements, Sql.Inbox["find_keys"], Column(keys, k => k.Key));
            var reader = await statements.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                // Only the last statement has rows.
                return await Query.ReadAsync(reader, PostgresRows.Key, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private static NpgsqlParameter Column<TRow, T>(IReadOnlyList<TRow> rows, Func<TRow, T> read) =>
        Query.Of(rows.Select(read).ToArray());
}
