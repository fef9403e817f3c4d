using System.Buffers;
using NpgsqlTypes;
using Workflow.Contracts.Instances;

namespace Workflow.Stores.PostgreSql;

/// <summary>Turns batches into statements, one for each kind of row, columns as arrays: fences, then removals, then additions.</summary>
internal static class PostgresFlush
{
    private static readonly Func<List<InstanceRow>, NpgsqlParameter>[] WholeInstance =
    [
        Column((InstanceRow r) => r.Id),
        Column((InstanceRow r) => r.Partition),
        Column((InstanceRow r) => r.Definition),
        Column((InstanceRow r) => r.DefinitionVersion),
        Column((InstanceRow r) => r.Revision),
        Column((InstanceRow r) => (short)r.State),
        Column((InstanceRow r) => r.CorrelationKey),
        Column((InstanceRow r) => r.Body),
        Column((InstanceRow r) => r.HistoryInRow),
        Column((InstanceRow r) => r.CreatedUtc.UtcDateTime),
        Column((InstanceRow r) => r.UpdatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<InstanceRow>, NpgsqlParameter>[] ChangedInstance =
    [
        Column((InstanceRow r) => r.Id),
        Column((InstanceRow r) => r.Revision),
        Column((InstanceRow r) => (short)r.State),
        Column((InstanceRow r) => r.Body),
        Column((InstanceRow r) => r.HistoryInRow),
        Column((InstanceRow r) => r.UpdatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<InstanceRow>, NpgsqlParameter>[] History =
    [
        Column((InstanceRow r) => r.Id), Column((InstanceRow r) => r.Revision), Column((InstanceRow r) => r.History),
    ];

    private static readonly Func<List<SignalRow>, NpgsqlParameter>[] Signal =
    [
        Column((SignalRow r) => r.Id),
        Column((SignalRow r) => r.Partition),
        Column((SignalRow r) => r.Name),
        Column((SignalRow r) => r.CorrelationKey),
        Column((SignalRow r) => r.InstanceId),
        Column((SignalRow r) => r.Payload),
        Column((SignalRow r) => r.Position),
        Column((SignalRow r) => r.AcceptedUtc.UtcDateTime),
        Column((SignalRow r) => r.DueUtc?.UtcDateTime, NpgsqlDbType.TimestampTz),
        Column((SignalRow r) => r.ExpiresUtc.UtcDateTime),
    ];

    private static readonly Func<List<SubscriptionRow>, NpgsqlParameter>[] Subscription =
    [
        Column((SubscriptionRow r) => r.WaitId),
        Column((SubscriptionRow r) => r.Partition),
        Column((SubscriptionRow r) => r.Name),
        Column((SubscriptionRow r) => r.CorrelationKey),
        Column((SubscriptionRow r) => r.InstanceId),
        Column((SubscriptionRow r) => r.Position),
    ];

    private static readonly Func<List<TaskRow>, NpgsqlParameter>[] WholeTask =
    [
        Column((TaskRow r) => r.Id),
        Column((TaskRow r) => r.Partition),
        Column((TaskRow r) => r.InstanceId),
        Column((TaskRow r) => r.Definition),
        Column((TaskRow r) => r.DefinitionVersion),
        Column((TaskRow r) => r.CorrelationKey),
        Column((TaskRow r) => r.Step),
        Column((TaskRow r) => (short)r.State),
        Column((TaskRow r) => r.Assignee),
        Column((TaskRow r) => JsonSerializer.Serialize(r.Groups)),
        Column((TaskRow r) => r.Output),
        Column((TaskRow r) => r.CreatedUtc.UtcDateTime),
        Column((TaskRow r) => r.UpdatedUtc.UtcDateTime),
        Column((TaskRow r) => r.DueUtc?.UtcDateTime, NpgsqlDbType.TimestampTz),
    ];

    private static readonly Func<List<TaskChange>, NpgsqlParameter>[] ChangedTask =
    [
        Column((TaskChange r) => r.Id),
        Column((TaskChange r) => (short)r.State),
        Column((TaskChange r) => r.Assignee),
        Column((TaskChange r) => r.Output),
        Column((TaskChange r) => r.UpdatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<ChildRow>, NpgsqlParameter>[] Child =
    [
        Column((ChildRow r) => r.ParentId), Column((ChildRow r) => r.ChildId),
    ];

    private static readonly Func<List<MessageRow>, NpgsqlParameter>[] Message =
    [
        Column((MessageRow r) => r.Id),
        Column((MessageRow r) => r.Partition),
        Column((MessageRow r) => r.Kind),
        Column((MessageRow r) => r.Body),
        Column((MessageRow r) => r.Position),
    ];

    private static readonly Func<List<ReplyRow>, NpgsqlParameter>[] Reply =
    [
        Column((ReplyRow r) => r.MessageId),
        Column((ReplyRow r) => r.Body),
        Column((ReplyRow r) => r.CreatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<IdempotencyRow>, NpgsqlParameter>[] Key =
    [
        Column((IdempotencyRow r) => r.Key),
        Column((IdempotencyRow r) => r.RequestHash),
        Column((IdempotencyRow r) => r.ResultId),
        Column((IdempotencyRow r) => r.CreatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<EventPage>, NpgsqlParameter>[] Events =
    [
        Column((EventPage p) => p.Stream),
        Column((EventPage p) => p.First),
        Column((EventPage p) => p.Last),
        Column((EventPage p) => p.Text, NpgsqlDbType.Text),
        Column((EventPage p) => p.CreatedUtc.UtcDateTime),
    ];

    private static readonly Func<List<DeadLetterRow>, NpgsqlParameter>[] DeadLetter =
    [
        Column((DeadLetterRow r) => r.Id),
        Column((DeadLetterRow r) => r.Partition),
        Column((DeadLetterRow r) => (short)r.Kind),
        Column((DeadLetterRow r) => r.SubjectId),
        Column((DeadLetterRow r) => r.InstanceId),
        Column((DeadLetterRow r) => r.Reason),
        Column((DeadLetterRow r) => r.Attempts),
        Column((DeadLetterRow r) => r.Payload),
        Column((DeadLetterRow r) => r.CreatedUtc.UtcDateTime),
        Column((DeadLetterRow r) => r.LastAttemptUtc.UtcDateTime),
    ];

    private static readonly Func<List<DeadLetterChange>, NpgsqlParameter>[] ChangedDeadLetter =
    [
        Column((DeadLetterChange r) => r.Id),
        Column((DeadLetterChange r) => r.Reason),
        Column((DeadLetterChange r) => r.Attempts),
        Column((DeadLetterChange r) => r.LastAttemptUtc.UtcDateTime),
        Column((DeadLetterChange r) => r.Applied),
    ];

    private static readonly Func<List<Guid>, NpgsqlParameter>[] Id = [Column((Guid id) => id)];

    private static readonly Func<List<LaneFlush>, NpgsqlParameter>[] Fence =
    [
        Column((LaneFlush f) => ((PostgresLane)f.Lane).Index),
        Column((LaneFlush f) => ((PostgresLane)f.Lane).Epoch),
        Column((LaneFlush f) => f.Batch.Number),
        Column((LaneFlush f) => f.Batch.LastSequence),
        Column((LaneFlush f) => f.Batch.PublishedSequence),
    ];

    /// <param name="text">Holds the events until the statements are executed.</param>
    public static NpgsqlBatch Build(NpgsqlConnection connection, IReadOnlyList<LaneFlush> flushes, ArrayBufferWriter<byte> text)
    {
        var statements = new NpgsqlBatch(connection);
        Add("add_batches", [.. flushes], Fence);
        Add("remove_signals", All(b => b.SignalsRemoved), Id);
        Add("remove_subscriptions", All(b => b.SubscriptionsRemoved), Id);
        Add("remove_messages", All(b => b.MessagesRemoved), Id);
        Add("insert_instances", All(b => b.Inserted), WholeInstance);
        Add("update_instances", All(b => b.Updated), ChangedInstance);
        var finished = All(b => b.Finished);
        Add("insert_finished", finished.FindAll(WasNeverStored), WholeInstance);
        Add("finish_instances", finished.FindAll(row => !WasNeverStored(row)), WholeInstance);
        if (RetriedOf(flushes) is { } retried)
        {
            Add("retry_instances", retried.FindAll(IsLive), WholeInstance);
            Add("finish_retried", retried.FindAll(row => !IsLive(row)), ChangedInstance);
        }

        Add("insert_history", All(b => b.HistoryApart()), History);
        Add("insert_signals", All(b => b.SignalsAdded), Signal);
        Add("insert_subscriptions", All(b => b.SubscriptionsAdded), Subscription);
        Add("insert_tasks", All(b => b.TasksAdded), WholeTask);
        Add("update_tasks", All(b => b.TasksChanged), ChangedTask);
        Add("insert_children", All(b => b.ChildrenAdded), Child);
        Add("insert_messages", All(b => b.MessagesAdded), Message);
        Add("insert_replies", All(b => b.Replies), Reply);
        Add("insert_dead_letters", All(b => b.DeadLettersAdded), DeadLetter);
        Add("change_dead_letters", All(b => b.DeadLettersChanged), ChangedDeadLetter);
        Add("insert_keys", All(b => b.Keys), Key);
        Add("insert_events", EventPage.Of(flushes, text), Events);
        return statements;

        List<TRow> All<TRow>(Func<FlushBatch, List<TRow>> rows) =>
            flushes is [var only] ? rows(only.Batch) : [.. flushes.SelectMany(f => rows(f.Batch))];

        void Add<TRow>(string statement, List<TRow> rows, Func<List<TRow>, NpgsqlParameter>[] columns)
        {
            if (rows.Count > 0)
            {
                Query.Add(statements, Sql.Flush[statement], [.. columns.Select(column => column(rows))]);
            }
        }
    }

    /// <summary>An instance that began and ended within one batch.</summary>
    private static bool WasNeverStored(InstanceRow row) => row.Revision == 1;

    private static bool IsLive(InstanceRow row) => row.State <= InstanceState.Suspended;

    /// <returns>Null, without looking further, where there are none: almost always.</returns>
    private static List<InstanceRow>? RetriedOf(IReadOnlyList<LaneFlush> flushes)
    {
        List<InstanceRow>? all = null;
        for (var i = 0; i < flushes.Count; i++)
        {
            if (flushes[i].Batch.Retried is { } retried)
            {
                (all ??= []).AddRange(retried);
            }
        }

        return all;
    }

    /// <param name="type">
    /// What the column holds; null for what its type says. A null item does not tell its kind of time, and the driver asks the first item.
    /// </param>
    private static Func<List<TRow>, NpgsqlParameter> Column<TRow, T>(Func<TRow, T> read, NpgsqlDbType? type = null) => rows =>
    {
        var column = new T[rows.Count];
        for (var i = 0; i < column.Length; i++)
        {
            column[i] = read(rows[i]);
        }

        var parameter = Query.Of(column);
        if (type is { } given)
        {
            parameter.NpgsqlDbType = NpgsqlDbType.Array | given;
        }

        return parameter;
    };
}
