using Npgsql;

namespace Workflow.DataStore.PostgreSql;

/// <summary>Runs the statements of <c>Sql/</c>.</summary>
internal static class Query
{
    public static async Task<IReadOnlyList<T>> ListAsync<T>(
        NpgsqlConnection connection,
        string statement,
        Func<NpgsqlDataReader, T> read,
        CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlCommand(SqlText.Of(statement), connection);
        await using (command.ConfigureAwait(false))
        {
            command.Parameters.AddRange(parameters);
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                var rows = new List<T>();
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    rows.Add(read(reader));
                }

                return rows;
            }
        }
    }

    public static async Task RunAsync(NpgsqlConnection connection, string statement, CancellationToken cancellationToken)
    {
        var command = new NpgsqlCommand(SqlText.Of(statement), connection);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public static NpgsqlParameter Of<T>(T value) => new NpgsqlParameter<T> { TypedValue = value };
}
