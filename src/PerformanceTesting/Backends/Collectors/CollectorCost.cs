using System.Diagnostics;
using Npgsql;

namespace PerformanceTesting.Backends.Collectors;

/// <summary>What the collector itself asked of the server: it belongs to the result, since it ran on the same machine. Thread-safe.</summary>
internal sealed class CollectorCost
{
    private long _queries;
    private long _ticks;

    public long Queries => Interlocked.Read(ref _queries);

    /// <summary>Time spent waiting for answers, milliseconds.</summary>
    public double Milliseconds => Stopwatch.GetElapsedTime(0, Interlocked.Read(ref _ticks)).TotalMilliseconds;

    /// <summary>Runs a query and hands every row to <paramref name="row"/>.</summary>
    public Task<List<T>> ReadAsync<T>(
        NpgsqlConnection connection, string sql, Func<NpgsqlDataReader, T> row, CancellationToken cancellationToken, params string[] parameters) => TimeAsync(async () =>
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

    /// <summary>Counts a question, whatever comes of it.</summary>
    public async Task<T> TimeAsync<T>(Func<Task<T>> ask)
    {
        var start = Stopwatch.GetTimestamp();
        try
        {
            return await ask();
        }
        finally
        {
            Interlocked.Increment(ref _queries);
            Interlocked.Add(ref _ticks, Stopwatch.GetTimestamp() - start);
        }
    }
}
