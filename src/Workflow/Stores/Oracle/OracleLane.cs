using System.Data.Common;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Oracle.Driver;

namespace Workflow.Stores.Oracle;

/// <summary>The writer of one lane: one connection, one call a flush with one document, one transaction, one commit.</summary>
internal sealed class OracleLane(OracleSession session, OracleReads reads, LaneAssignment assignment, TimeSpan flushTimeout) : ILaneStore
{
    private long _epoch;

    public async Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken)
    {
        try
        {
            var lane = await session.RunAsync(
                SqlText.Of("TakeLane"),
                OracleReads.Limit,
                cancellationToken,
                Bind.Number("p_lane", assignment.Index),
                Bind.Id("p_node", assignment.Node),
                Bind.OutNumber("p_epoch"),
                Bind.OutNumber("p_last_batch"),
                Bind.OutNumber("p_last_sequence"),
                Bind.OutNumber("p_published_sequence")).ConfigureAwait(false);
            _epoch = lane.Number("p_epoch");
            return new()
            {
                LastBatch = lane.Number("p_last_batch"),
                LastSequence = lane.Number("p_last_sequence"),
                PublishedSequence = lane.Number("p_published_sequence"),
                Instances = await MineAsync("LoadInstances", Rows.Instance, cancellationToken).ConfigureAwait(false),
                Signals = await MineAsync("LoadSignals", Rows.Signal, cancellationToken).ConfigureAwait(false),
                Subscriptions = await MineAsync("LoadSubscriptions", Rows.Subscription, cancellationToken).ConfigureAwait(false),
                Messages = await MineAsync("LoadMessages", Rows.Message, cancellationToken).ConfigureAwait(false),
                DeadLetters = await MineAsync("LoadDeadLetters", Rows.DeadLetter, cancellationToken).ConfigureAwait(false),
            };
        }
        catch (DbException e) when (OracleErrors.Code(e) == FlushErrors.NotLeased)
        {
            throw new LaneMovedException(assignment.Index, e);
        }
        catch (Exception e) when (OracleErrors.IsDriverError(e))
        {
            throw reads.ToUnavailable(e);
        }
    }

    public async Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken)
    {
        var document = FlushDocument.Of(batch, assignment.Index, _epoch);
        try
        {
            await session.RunAsync(SqlText.Of("Flush"), flushTimeout, cancellationToken, Bind.Document("p_batch", document)).ConfigureAwait(false);
        }
        catch (Exception e) when (OracleErrors.IsDriverError(e) || e is InvalidOperationException)
        {
            throw FlushErrors.ToFlushException(e);
        }
    }

    public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(IReadOnlyCollection<string> keys, CancellationToken cancellationToken) =>
        reads.FindKeysAsync(keys, cancellationToken);

    public ValueTask DisposeAsync() => session.DisposeAsync();

    private Task<IReadOnlyList<T>> MineAsync<T>(string statement, Func<DbDataReader, T> read, CancellationToken cancellationToken) => session.ListAsync(
        SqlText.Of(statement),
        read,
        OracleReads.LoadLimit,
        cancellationToken,
        Bind.Number("p_lane_count", assignment.Count),
        Bind.Number("p_lane", assignment.Index));
}
