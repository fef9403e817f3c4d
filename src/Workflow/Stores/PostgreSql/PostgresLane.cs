using Npgsql;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

/// <summary>The writer of one lane: one connection, one prepared statement batch a flush, one implicit transaction, one commit.</summary>
internal sealed class PostgresLane(NpgsqlConnection connection, NpgsqlDataSource reads, LaneAssignment assignment, TimeSpan flushTimeout) : ILaneStore
{
    private long _epoch;

    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        var taken = assignment.Node is { } node
            ? await TakeAsync("TakeLeasedLane", cancellationToken, Query.Of(assignment.Index), Query.Of(node)).ConfigureAwait(false)
            : await TakeAsync("TakeLane", cancellationToken, Query.Of(assignment.Index)).ConfigureAwait(false);
        if (taken is not [var (epoch, lastBatch, lastSequence, published)])
        {
            throw new LaneMovedException(assignment.Index);
        }

        _epoch = epoch;
        var snapshot = new LaneSnapshot
        {
            LastBatch = lastBatch,
            LastSequence = lastSequence,
            PublishedSequence = published,
            Instances = await MineAsync("LoadInstances", Rows.Instance, cancellationToken).ConfigureAwait(false),
            Signals = await MineAsync("LoadSignals", Rows.Signal, cancellationToken).ConfigureAwait(false),
            Subscriptions = await MineAsync("LoadSubscriptions", Rows.Subscription, cancellationToken).ConfigureAwait(false),
            Messages = await MineAsync("LoadMessages", Rows.Message, cancellationToken).ConfigureAwait(false),
            DeadLetters = await MineAsync("LoadDeadLetters", Rows.DeadLetter, cancellationToken).ConfigureAwait(false),
        };

        // Loading reads whole tables, and is over.
        await Query.RunAsync(connection, "PinPlans", cancellationToken).ConfigureAwait(false);
        return snapshot;
    }

    public async Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken)
    {
        var statements = FlushStatements.Build(connection, batch, assignment.Index, _epoch);
        await using (statements.ConfigureAwait(false))
        {
            statements.Timeout = (int)flushTimeout.TotalSeconds;
            try
            {
                await statements.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsConnectionError(e) || e is InvalidOperationException)
            {
                throw PostgresErrors.ToFlushException(e);
            }
        }
    }

    public async Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken)
    {
        var own = await reads.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using (own.ConfigureAwait(false))
        {
            return await Query.ListAsync(own, "FindKeys", Rows.Key, cancellationToken, Query.Of(keys.ToArray())).ConfigureAwait(false);
        }
    }

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    private Task<IReadOnlyList<(long Epoch, long LastBatch, long LastSequence, long Published)>> TakeAsync(
        string statement, CancellationToken cancellationToken, params NpgsqlParameter[] parameters) =>
        Query.ListAsync(connection, statement, r => (r.GetInt64(0), r.GetInt64(1), r.GetInt64(2), r.GetInt64(3)), cancellationToken, parameters);

    private Task<IReadOnlyList<T>> MineAsync<T>(string statement, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken) =>
        Query.ListAsync(connection, statement, read, cancellationToken, Query.Of(assignment.Count), Query.Of(assignment.Index));
}
