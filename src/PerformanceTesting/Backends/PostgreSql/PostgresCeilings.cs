using Npgsql;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>
/// Measures what lies below any system on this server: forced writes, one-row commits and the round trip. Short, about
/// two and a half seconds in all: enough to set a result in proportion, not to compare servers.
/// </summary>
public sealed class PostgresCeilings
{
    private const int ConcurrentClients = 16;
    private const int PageBytes = 8192;
    private const int FileBytes = 16 << 20; // As large as a segment of the server's log.

    private readonly PostgresServer _server;
    private readonly TimeSpan _span;

    /// <param name="span">How long each is measured; 600 ms when omitted.</param>
    public PostgresCeilings(PostgresServer server, TimeSpan? span = null)
    {
        _server = server;
        _span = span ?? TimeSpan.FromMilliseconds(600);
    }

    /// <summary>Measures in a new database, and drops it.</summary>
    /// <exception cref="NpgsqlException">The server went away.</exception>
    public async Task<CeilingsResult> MeasureAsync(CancellationToken cancellationToken)
    {
        var (fsyncs, how) = MeasureFsyncs(cancellationToken);
        var database = await _server.CreateDatabaseAsync("ceilings", cancellationToken);
        try
        {
            await using var source = NpgsqlDataSource.Create(
                new NpgsqlConnectionStringBuilder(database) { MaxPoolSize = ConcurrentClients });
            await using (var create =
                source.CreateCommand("CREATE TABLE one_row (client int NOT NULL, number bigint NOT NULL)"))
            {
                await create.ExecuteNonQueryAsync(cancellationToken);
            }

            return new CeilingsResult
            {
                FsyncPerSecond = fsyncs,
                CommitsPerSecond = await MeasureCommitsAsync(source, 1, cancellationToken),
                ConcurrentCommitsPerSecond = await MeasureCommitsAsync(source, ConcurrentClients, cancellationToken),
                ConcurrentClients = ConcurrentClients,
                RoundTripMs = await MeasureRoundTripAsync(source, cancellationToken),
                Notes =
                [
                    how,
                    $"Commits: prepared inserts of one row over Npgsql, {_span.TotalMilliseconds:0} ms each after a "
                        + "tenth of that to warm up; the client shares the machine's processors.",
                ],
            };
        }
        finally
        {
            await _server.DropDatabaseAsync(database, CancellationToken.None);
        }
    }

    /// <summary>
    /// Writes pages to a file that has its full size already, as the log's segments have, and forces each to the disk.
    /// </summary>
    private (double? PerSecond, string Note) MeasureFsyncs(CancellationToken cancellationToken)
    {
        if (_server.ReachableDirectory is not { } directory)
        {
            return (null, $"fsyncPerSecond is null: the file system of this server ({_server.Host.Provision}) is not in reach.");
        }

        var path = Path.Combine(directory, "fsync-ceiling");
        try
        {
            using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
            file.Write(new byte[FileBytes]);
            file.Flush(flushToDisk: true);
            file.Position = 0;
            var page = new byte[PageBytes];
            var start = Stopwatch.GetTimestamp();
            var count = 0;
            while (Stopwatch.GetElapsedTime(start) < _span)
            {
                cancellationToken.ThrowIfCancellationRequested();
                file.Position = (long)count * PageBytes % FileBytes;
                file.Write(page);
                file.Flush(flushToDisk: true);
                count++;
            }

            return (count / Stopwatch.GetElapsedTime(start).TotalSeconds,
                "fsyncPerSecond: pages of 8 kB written one after the other to a preallocated file beside the server's "
                    + "data, fsync after each.");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return (null, $"fsyncPerSecond is null: {exception.Message}");
        }
        finally
        {
            File.Delete(path);
        }
    }

    private async Task<double> MeasureCommitsAsync(
        NpgsqlDataSource source, int clients, CancellationToken cancellationToken)
    {
        var inserts = await Task.WhenAll(
            Enumerable.Range(0, clients).Select(client => PrepareAsync(source, client, cancellationToken)));
        try
        {
            return await CeilingLoop.PerSecondAsync(
                [.. inserts.Select(insert => (Func<Task>)(() => insert.ExecuteNonQueryAsync(cancellationToken)))],
                _span,
                cancellationToken);
        }
        finally
        {
            foreach (var insert in inserts)
            {
                await insert.Connection!.DisposeAsync();
                await insert.DisposeAsync();
            }
        }
    }

    private static async Task<NpgsqlCommand> PrepareAsync(
        NpgsqlDataSource source, int client, CancellationToken cancellationToken)
    {
        var connection = await source.OpenConnectionAsync(cancellationToken);
        var insert = new NpgsqlCommand("INSERT INTO one_row VALUES ($1, $2)", connection);
        insert.Parameters.Add(new NpgsqlParameter<int> { TypedValue = client });
        insert.Parameters.Add(new NpgsqlParameter<long> { TypedValue = 1 });
        await insert.PrepareAsync(cancellationToken);
        return insert;
    }

    private async Task<double> MeasureRoundTripAsync(NpgsqlDataSource source, CancellationToken cancellationToken)
    {
        await using var connection = await source.OpenConnectionAsync(cancellationToken);
        await using var select = new NpgsqlCommand("SELECT 1", connection);
        await select.PrepareAsync(cancellationToken);
        return await CeilingLoop.MedianMsAsync(() => select.ExecuteScalarAsync(cancellationToken), _span / 2);
    }
}
