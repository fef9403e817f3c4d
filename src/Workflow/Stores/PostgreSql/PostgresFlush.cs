using System.Buffers;
using Foundation;
using NpgsqlTypes;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// Turns batches into statements, one for each kind of row, columns as arrays: fences, then removals, then additions.
/// </summary>
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

    private static readonly Func<List<PendingRow>, NpgsqlParameter>[] Pending =
    [
        Column((PendingRow r) => r.Id),
        Column((PendingRow r) => r.Partition),
        Column((PendingRow r) => (short)r.Kind),
        Column((PendingRow r) => r.Position),
        Column((PendingRow r) => r.Body),
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

    private static readonly Func<List<DormantWrite>, NpgsqlParameter>[] Dormant =
    [
        Column((DormantWrite d) => d.Id),
        Column((DormantWrite d) => d.Revision),
        Column((DormantWrite d) => d.NextDueUtc?.UtcDateTime, NpgsqlDbType.TimestampTz),
    ];

    private static readonly Func<List<(DormantWait Wait, Guid Instance)>, NpgsqlParameter>[] AddedWait =
    [
        Column(((DormantWait Wait, Guid Instance) w) => w.Wait.Slot),
        Column(((DormantWait Wait, Guid Instance) w) => w.Wait.WaitId),
        Column(((DormantWait Wait, Guid Instance) w) => w.Instance),
    ];

    private static readonly Func<List<DormantWait>, NpgsqlParameter>[] RemovedWait =
    [
        Column((DormantWait w) => w.Slot), Column((DormantWait w) => w.WaitId),
    ];

    private static readonly Func<List<Guid>, NpgsqlParameter>[] Id = [Column((Guid id) => id)];

    /// <param name="text">Holds the events until the statements are executed.</param>
    public static NpgsqlBatch Build(
        NpgsqlConnection connection, IReadOnlyList<LaneFlush> flushes, ArrayBufferWriter<byte> text)
    {
        var statements = new NpgsqlBatch(connection);
        Query.Add(statements, SqlFor(flushes.Count)["add_batches"], Query.Of(NumbersOf(flushes)));
        Add("remove_pending", All(b => b.PendingRemoved), Id);
        Add("remove_dormant_waits", All(b => b.DormantWaitsRemoved), RemovedWait);
        AddInstances(InstanceOrigin.New, isOver: false, "insert_instances", WholeInstance);
        AddInstances(InstanceOrigin.Live, isOver: false, "update_instances", ChangedInstance);
        AddInstances(InstanceOrigin.New, isOver: true, "insert_finished", WholeInstance);
        AddInstances(InstanceOrigin.Live, isOver: true, "finish_instances", WholeInstance);
        AddInstances(InstanceOrigin.Failed, isOver: false, "retry_instances", WholeInstance);
        AddInstances(InstanceOrigin.Failed, isOver: true, "finish_retried", ChangedInstance);
        AddInstances(InstanceOrigin.Dormant, isOver: false, "wake_instances", WholeInstance);
        AddInstances(InstanceOrigin.Dormant, isOver: true, "finish_dormant", WholeInstance);
        AddDormant();
        Add("insert_history", Some(b => b.Instances, i => i.Row.HasHistoryApart, i => i.Row), History);
        Add("insert_pending", All(b => b.Pending), Pending);
        Add("insert_tasks", Some(b => b.Tasks, t => t is TaskRow, t => (TaskRow)t), WholeTask);
        Add("update_tasks", Some(b => b.Tasks, t => t is TaskChange, t => (TaskChange)t), ChangedTask);
        Add("insert_children", All(b => b.Children), Child);
        Add("insert_replies", All(b => b.Replies), Reply);
        Add("insert_dead_letters", Some(b => b.DeadLetters, l => l is DeadLetterRow, l => (DeadLetterRow)l),
            DeadLetter);
        Add("change_dead_letters", Some(b => b.DeadLetters, l => l is DeadLetterChange, l => (DeadLetterChange)l),
            ChangedDeadLetter);
        Add("insert_keys", All(b => b.Keys), Key);
        Add("insert_events", EventPage.Of(flushes, text), Events);
        return statements;

        void AddInstances(
            InstanceOrigin origin, bool isOver, string statement, Func<List<InstanceRow>, NpgsqlParameter>[] columns) =>
            Add(statement, Some(b => b.Instances, i => i.Origin == origin && i.Row.IsOver == isOver, i => i.Row),
                columns);

        void AddDormant()
        {
            var dormant = All(b => b.Dormant);
            if (dormant.Count > 0)
            {
                Add("make_dormant", dormant, Dormant);
                Add("insert_dormant_waits", [.. dormant.SelectMany(d => d.Waits.Select(w => (w, d.Id)))], AddedWait);
            }
        }

        List<TRow> All<TRow>(Func<FlushBatch, List<TRow>> rows) =>
            flushes is [var only] ? rows(only.Batch) : [.. flushes.SelectMany(f => rows(f.Batch))];

        // Mostly there are none: then nothing is made for them.
        List<TRow>? Some<TWrite, TRow>(
            Func<FlushBatch, List<TWrite>> writes, Predicate<TWrite> isMeant, Func<TWrite, TRow> rowOf)
        {
            List<TRow>? some = null;
            foreach (var flush in flushes)
            {
                foreach (var write in writes(flush.Batch))
                {
                    if (isMeant(write))
                    {
                        (some ??= []).Add(rowOf(write));
                    }
                }
            }

            return some;
        }

        void Add<TRow>(string statement, List<TRow>? rows, Func<List<TRow>, NpgsqlParameter>[] columns)
        {
            if (rows is { Count: > 0 })
            {
                Query.Add(statements, SqlFor(rows.Count)[statement], [.. columns.Select(column => column(rows))]);
            }
        }
    }

    private static SqlFile SqlFor(int rows) => rows == 1 ? Sql.FlushOfOne : Sql.Flush;

    /// <summary>The numbers of each batch, in the order of the lanes.</summary>
    private static long[] NumbersOf(IReadOnlyList<LaneFlush> flushes)
    {
        const int Each = 9;
        var numbers = new long[Each * flushes.Count];
        var batch = numbers.AsSpan();
        foreach (var flush in flushes is [_] ? flushes : [.. flushes.OrderBy(f => ((PostgresLane)f.Lane).Index)])
        {
            var (lane, rows) = ((PostgresLane)flush.Lane, flush.Batch);
            ReadOnlySpan<long> own =
            [
                lane.Index, lane.Epoch, rows.Number, rows.LastSequence, rows.PublishedSequence, rows.LastPosition,
                rows.DormantInstances, rows.DormantTasks, lane.Lanes,
            ];
            own.CopyTo(batch);
            batch = batch[Each..];
        }

        return numbers;
    }

    /// <param name="type">
    /// What the column holds; null for what its type says. A null item does not tell its kind of time, and the driver
    /// asks the first item.
    /// </param>
    private static Func<List<TRow>,
    NpgsqlParameter> Column<TRow, T>(Func<TRow, T> read, NpgsqlDbType? type = null) => rows =>
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
