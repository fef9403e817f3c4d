namespace Workflow.Stores.PostgreSql;

/// <summary>Runs statements on a connection.</summary>
internal static class Query
{
    public static async Task<IReadOnlyList<T>> ListAsync<T>(
        NpgsqlConnection connection,
        string sql,
        Func<NpgsqlDataReader, T> read,
        CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        await using (command.ConfigureAwait(false))
        {
            command.Parameters.AddRange(parameters);
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                return await ReadAsync(reader, read, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    public static async Task<IReadOnlyList<T>> ReadAsync<T>(
        NpgsqlDataReader reader, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken)
    {
        var rows = new List<T>();
        while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
        {
            rows.Add(read(reader));
        }

        return rows;
    }

    /// <summary>The rows of the reader's next result.</summary>
    public static async Task<IReadOnlyList<T>> ReadNextAsync<T>(
        NpgsqlDataReader reader, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken)
    {
        await reader.NextResultAsync(cancellationToken).ConfigureAwait(false);
        return await ReadAsync(reader, read, cancellationToken).ConfigureAwait(false);
    }

    public static void Add(NpgsqlBatch batch, string sql, params NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlBatchCommand(sql);
        command.Parameters.AddRange(parameters);
        batch.BatchCommands.Add(command);
    }

    public static async Task RunAsync(
        NpgsqlConnection connection, string sql, CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        await using (command.ConfigureAwait(false))
        {
            command.Parameters.AddRange(parameters);
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public static NpgsqlParameter Of<T>(T value) => new NpgsqlParameter<T> { TypedValue = value };
}
