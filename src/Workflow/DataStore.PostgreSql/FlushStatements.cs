using Npgsql;
using NpgsqlTypes;
using Workflow.Abstractions.Stores;

namespace Workflow.DataStore.PostgreSql;

/// <summary>Turns a batch into statements: one for each kind of row there is, whole columns as arrays; the fence first, removals before additions.</summary>
internal static class FlushStatements
{
    public static NpgsqlBatch Build(NpgsqlConnection connection, FlushBatch batch, int lane, long epoch)
    {
        var statements = new NpgsqlBatch(connection);
        Add(statements, "MoveLane", Query.Of(lane), Query.Of(epoch), Query.Of(batch.Number), Query.Of(batch.LastSequence), Query.Of(batch.PublishedSequence));
        Remove(statements, "RemoveSignals", batch.SignalsRemoved);
        Remove(statements, "RemoveSubscriptions", batch.SubscriptionsRemoved);
        Remove(statements, "RemoveMessages", batch.MessagesRemoved);
        Whole(statements, "InsertInstances", batch.Inserted);
        Update(statements, batch.Updated);
        Whole(statements, "FinishInstances", batch.Finished);
        Signals(statements, batch.SignalsAdded);
        Subscriptions(statements, batch.SubscriptionsAdded);
        Messages(statements, batch.MessagesAdded);
        Keys(statements, batch.Keys);
        Events(statements, lane, batch.Events);
        return statements;
    }

    private static void Remove(NpgsqlBatch statements, string name, List<Guid> ids)
    {
        if (ids.Count > 0)
        {
            Add(statements, name, Query.Of(ids.ToArray()));
        }
    }

    private static void Whole(NpgsqlBatch statements, string name, List<InstanceRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                name,
                Column(rows, r => r.Id),
                Column(rows, r => r.Partition),
                Column(rows, r => r.Definition),
                Column(rows, r => r.DefinitionVersion),
                Column(rows, r => r.Revision),
                Column(rows, r => (short)r.State),
                Column(rows, r => r.CorrelationKey),
                Column(rows, r => r.Body),
                Column(rows, r => r.History),
                Column(rows, r => r.CreatedUtc.UtcDateTime),
                Column(rows, r => r.UpdatedUtc.UtcDateTime));
        }
    }

    private static void Update(NpgsqlBatch statements, List<InstanceRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "UpdateInstances",
                Column(rows, r => r.Id),
                Column(rows, r => r.Revision),
                Column(rows, r => (short)r.State),
                Column(rows, r => r.Body),
                Column(rows, r => r.History),
                Column(rows, r => r.UpdatedUtc.UtcDateTime));
        }
    }

    private static void Signals(NpgsqlBatch statements, List<SignalRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "InsertSignals",
                Column(rows, r => r.Id),
                Column(rows, r => r.Partition),
                Column(rows, r => r.Name),
                Column(rows, r => r.CorrelationKey),
                Column(rows, r => r.InstanceId),
                Column(rows, r => r.Payload),
                Column(rows, r => r.Position),
                Column(rows, r => r.AcceptedUtc.UtcDateTime),
                Times(rows, r => r.DueUtc),
                Column(rows, r => r.ExpiresUtc.UtcDateTime));
        }
    }

    private static void Subscriptions(NpgsqlBatch statements, List<SubscriptionRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "InsertSubscriptions",
                Column(rows, r => r.WaitId),
                Column(rows, r => r.Partition),
                Column(rows, r => r.Name),
                Column(rows, r => r.CorrelationKey),
                Column(rows, r => r.InstanceId),
                Column(rows, r => r.Position));
        }
    }

    private static void Messages(NpgsqlBatch statements, List<MessageRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "InsertMessages",
                Column(rows, r => r.Id),
                Column(rows, r => r.Partition),
                Column(rows, r => r.Kind),
                Column(rows, r => r.Body),
                Column(rows, r => r.Position));
        }
    }

    private static void Keys(NpgsqlBatch statements, List<IdempotencyRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "InsertKeys",
                Column(rows, r => r.Key),
                Column(rows, r => r.RequestHash),
                Column(rows, r => r.ResultId),
                Column(rows, r => r.CreatedUtc.UtcDateTime));
        }
    }

    private static void Events(NpgsqlBatch statements, int stream, List<EventRow> rows)
    {
        if (rows.Count > 0)
        {
            Add(
                statements,
                "InsertEvents",
                Query.Of(stream),
                Column(rows, r => r.Sequence),
                Column(rows, r => r.Type),
                Column(rows, r => r.Definition),
                Column(rows, r => r.Body),
                Column(rows, r => r.CreatedUtc.UtcDateTime));
        }
    }

    private static NpgsqlParameter Column<TRow, T>(List<TRow> rows, Func<TRow, T> read)
    {
        var column = new T[rows.Count];
        for (var i = 0; i < column.Length; i++)
        {
            column[i] = read(rows[i]);
        }

        return Query.Of(column);
    }

    /// <summary>A null says nothing of its kind of time, and the driver would take the type of the column from the first item.</summary>
    private static NpgsqlParameter Times<TRow>(List<TRow> rows, Func<TRow, DateTimeOffset?> read) =>
        new NpgsqlParameter<DateTime?[]> { TypedValue = [.. rows.Select(r => read(r)?.UtcDateTime)], NpgsqlDbType = NpgsqlDbType.Array | NpgsqlDbType.TimestampTz };

    private static void Add(NpgsqlBatch statements, string name, params NpgsqlParameter[] parameters)
    {
        var statement = new NpgsqlBatchCommand(SqlText.Of(name));
        foreach (var parameter in parameters)
        {
            statement.Parameters.Add(parameter);
        }

        statements.BatchCommands.Add(statement);
    }
}
