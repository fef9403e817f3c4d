using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

internal static class PostgresQueries
{
    /// <summary>Runs a query at the collector's cost and gives every row to <paramref name="row"/>.</summary>
    public static Task<List<T>> ReadAsync<T>(
        this CollectorCost cost,
        NpgsqlConnection connection,
        string sql,
        Func<NpgsqlDataReader, T> row,
        CancellationToken cancellationToken,
        params string[] parameters) => cost.TimeAsync(async () =>
    {
        await using var command = new NpgsqlCommand(sql, connection);
        foreach (var parameter in parameters)
        {
            command.Parameters.Add(new NpgsqlParameter<string> { TypedValue = parameter });
        }

        var rows = new List<T>();
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            rows.Add(row(reader));
        }

        return rows;
    });
}
