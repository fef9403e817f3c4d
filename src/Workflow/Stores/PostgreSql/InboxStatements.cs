using Npgsql;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

/// <summary>Puts messages into inboxes: keys first, then what their keys allow, then the keys as they stand; one implicit transaction.</summary>
internal static class InboxStatements
{
    public static async Task<IReadOnlyList<IdempotencyRow>> PutAsync(NpgsqlConnection connection, IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken)
    {
        var keys = messages.Where(m => m.Key is not null).Select(m => m.Key!).ToArray();
        var statements = new NpgsqlBatch(connection);
        await using (statements.ConfigureAwait(false))
        {
            if (keys.Length > 0)
            {
                Query.Add(
                    statements,
                    "PutKeys",
                    Column(keys, k => k.Key), Column(keys, k => k.RequestHash), Column(keys, k => k.ResultId), Column(keys, k => k.CreatedUtc.UtcDateTime));
            }

            Query.Add(
                statements,
                "PutMessages",
                Column(messages, m => m.Row.Id),
                Column(messages, m => m.Row.Partition),
                Column(messages, m => m.Row.Kind),
                Column(messages, m => m.Row.Body),
                Column(messages, m => m.Row.Position),
                Column(messages, m => m.Key?.Key),
                Column(messages, m => m.Key?.ResultId));
            Query.Add(statements, "FindKeys", Column(keys, k => k.Key));
            var reader = await statements.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                // Only the last statement has rows.
                return await Query.ReadAsync(reader, Rows.Key, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private static NpgsqlParameter Column<TRow, T>(IReadOnlyList<TRow> rows, Func<TRow, T> read) => Query.Of(rows.Select(read).ToArray());
}
