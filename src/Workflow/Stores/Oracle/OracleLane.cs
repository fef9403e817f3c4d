using System.Data.Common;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle;

/// <summary>
/// The writer of one lane: one connection, one call a flush with one document, one transaction, one commit.
/// </summary>
internal sealed class OracleLane(
    OracleSession session, OracleDatabase database, LaneAssignment assignment, TimeSpan flushTimeout)
    : ILaneStore
{
    private long _epoch;

    public IDormantInstances Dormant => field ??= new OracleDormantInstances(database, assignment);

    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        try
        {
            var lane = await session.RunAsync(
                Sql.Lanes["take_lane"],
                OracleDatabase.LoadLimit,
                cancellationToken,
                Bind.Number("p_lane", assignment.Index),
                Bind.Number("p_lane_count", assignment.Count),
                Bind.Id("p_node", assignment.Node),
                Bind.OutNumber("p_epoch"),
                Bind.OutNumber("p_last_batch"),
                Bind.OutNumber("p_last_sequence"),
                Bind.OutNumber("p_published_sequence"),
                Bind.OutNumber("p_last_message"),
                Bind.OutNumber("p_last_position"),
                Bind.OutNumber("p_residents"),
                Bind.OutNumber("p_dormant"),
                Bind.OutNumber("p_dormant_tasks")).ConfigureAwait(false);
            _epoch = lane.Number("p_epoch");
            return new()
            {
                Epoch = _epoch,
                LastBatch = lane.Number("p_last_batch"),
                LastSequence = lane.Number("p_last_sequence"),
                PublishedSequence = lane.Number("p_published_sequence"),
                LastMessagePosition = lane.Number("p_last_message"),
                LastPosition = lane.Number("p_last_position"),
                Instances = lane.Number("p_residents"),
                DormantInstances = lane.Number("p_dormant"),
                DormantTasks = lane.Number("p_dormant_tasks"),
                Pending = await ListLaneRowsAsync(Sql.Lanes["load_pending"], OracleRows.Pending, cancellationToken)
                    .ConfigureAwait(false),
                DeadLetters = await ListLaneRowsAsync(
                    Sql.Lanes["load_dead_letters"], OracleRows.DeadLetter, cancellationToken).ConfigureAwait(false),
            };
        }
        catch (DbException e) when (DriverErrors.Code(e) == OracleErrors.NotLeased)
        {
            throw new LaneMovedException(assignment.Index, e);
        }
        catch (Exception e) when (DriverErrors.IsDriverError(e))
        {
            throw database.ToUnavailable(e);
        }
    }

    public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
        IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) => database.ListAsync(
        Sql.Lanes["load_instances"], OracleRows.Instance, OracleDatabase.LoadLimit, cancellationToken,
        Bind.Document("p_partitions", JsonSerializer.Serialize(partitions)));

    public async Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken)
    {
        var document = OracleFlush.Of(batch, assignment, _epoch);
        try
        {
            await session.RunAsync(
                Sql.Flush["flush"], flushTimeout, cancellationToken, Bind.Document("p_batch", document))
                .ConfigureAwait(false);
        }
        catch (Exception e) when (DriverErrors.IsDriverError(e) || e is InvalidOperationException)
        {
            throw OracleErrors.ToFlushException(e);
        }
    }

    public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken) =>
        database.FindKeysAsync(keys, cancellationToken);

    public ValueTask DisposeAsync() => session.DisposeAsync();

    private Task<IReadOnlyList<T>> ListLaneRowsAsync<T>(
        string sql, Func<DbDataReader, T> read, CancellationToken cancellationToken) => session.ListAsync(
        sql,
        read,
        OracleDatabase.LoadLimit,
        cancellationToken,
        Bind.Number("p_lane_count", assignment.Count),
        Bind.Number("p_lane", assignment.Index));
}
