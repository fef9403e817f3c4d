using System.Buffers;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// The writer of one lane: one connection, one prepared statement batch a flush, one implicit transaction, one commit.
/// </summary>
internal sealed class PostgresLane(
    NpgsqlConnection connection, PostgresDatabase database, LaneAssignment assignment, TimeSpan flushTimeout)
    : ILaneStore
{
    /// <summary>A larger buffer of events is not kept, in bytes: one large event must not stay for ever.</summary>
    private const int MaxEventsKept = 1_048_576;

    /// <summary>The events of the flush under way.</summary>
    private ArrayBufferWriter<byte> _events = new();

    /// <summary>Raised by each load; flushes of an earlier epoch are refused.</summary>
    public long Epoch { get; private set; }

    public int Index => assignment.Index;

    /// <summary>How many lanes share the partitions.</summary>
    public int Lanes => assignment.Count;

    public IDormantInstances Dormant => field ??= new PostgresDormantInstances(database, assignment);

    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        var (take, arguments) = assignment.Node is { } node
            ? (Sql.Lanes["take_leased_lane"], new[] { Query.Of(assignment.Index), Query.Of(node) })
            : (Sql.Lanes["take_lane"], [Query.Of(assignment.Index)]);
        var taken = await Query.ListAsync(
            connection, take, r => r.GetInt64(0), cancellationToken, arguments).ConfigureAwait(false);
        if (taken is not [var epoch])
        {
            throw new LaneMovedException(assignment.Index);
        }

        Epoch = epoch;
        await Query.RunAsync(connection, Sql.Lanes["begin_batches"], cancellationToken, Query.Of(assignment.Index))
            .ConfigureAwait(false);
        var (end, lanes) = (await Query.ListAsync(
            connection, Sql.Lanes["read_lane_end"], r => PostgresRows.LaneEnd(r, epoch), cancellationToken,
            Query.Of(assignment.Index)).ConfigureAwait(false))[0];
        if (lanes != assignment.Count)
        {
            var (instances, tasks) = (await ListLaneRowsAsync(
                Sql.Lanes["count_dormant"], r => (r.GetInt64(0), r.GetInt64(1)), cancellationToken)
                .ConfigureAwait(false))[0];
            end = end with { DormantInstances = instances, DormantTasks = tasks };
        }

        var snapshot = end with
        {
            Instances = (await ListLaneRowsAsync(
                Sql.Lanes["count_instances"], r => r.GetInt64(0), cancellationToken).ConfigureAwait(false))[0],
            Pending = await ListLaneRowsAsync(Sql.Lanes["load_pending"], PostgresRows.Pending, cancellationToken)
                .ConfigureAwait(false),
            DeadLetters =
                await ListLaneRowsAsync(Sql.Lanes["load_dead_letters"], PostgresRows.DeadLetter, cancellationToken)
                .ConfigureAwait(false),
        };

        // Loading reads whole tables, and is over.
        await Query.RunAsync(connection, Sql.Lanes["pin_plans"], cancellationToken).ConfigureAwait(false);
        return snapshot;
    }

    public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) =>
        database.ReadAsync(
            database.Recovery, Sql.Lanes["load_instances"], PostgresRows.Instance, cancellationToken,
            Query.Of(partitions.ToArray()));

    public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
        FlushAsync([new(this, batch)], cancellationToken);

    /// <summary>Commits batches of this lane and of others.</summary>
    public async Task FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken)
    {
        var statements = PostgresFlush.Build(connection, flushes, _events);
        await using (statements.ConfigureAwait(false))
        {
            statements.Timeout = (int)flushTimeout.TotalSeconds;
            try
            {
                await statements.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsConnectionErrorOfCommand(e))
            {
                throw PostgresErrors.ToFlushException(e);
            }
        }

        if (_events.Capacity > MaxEventsKept)
        {
            _events = new();
        }
    }

    public async Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        var own = await database.Lookups.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using (own.ConfigureAwait(false))
        {
            return await Query.ListAsync(
                own, Sql.Inbox["find_keys"], PostgresRows.Key, cancellationToken,
                Query.Of(keys.ToArray())).ConfigureAwait(false);
        }
    }

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    private Task<IReadOnlyList<T>> ListLaneRowsAsync<T>(
        string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken) =>
        Query.ListAsync(
            connection, sql, read, cancellationToken, Query.Of(assignment.Count), Query.Of(assignment.Index));
}
