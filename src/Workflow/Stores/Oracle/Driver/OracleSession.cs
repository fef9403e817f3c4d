using System.Data;
using System.Data.Common;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>
/// One connection and the statements that run on it. A call ends within its limit and five seconds more, even when the
/// server stops answering and the driver goes on waiting: the connection is given up then, and closed behind
/// everybody's back.
/// </summary>
internal sealed class OracleSession : IAsyncDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    private readonly OracleDriver _driver;
    private readonly DbConnection _connection;
    private readonly TimeProvider _time;
    private Task? _running;

    private OracleSession(OracleDriver driver, DbConnection connection, TimeProvider time)
    {
        _driver = driver;
        _connection = connection;
        _time = time;
    }

    public static async Task<OracleSession> OpenAsync(
        OracleDriver driver, string connectionString, TimeSpan limit, TimeProvider time,
        CancellationToken cancellationToken)
    {
        var session = new OracleSession(driver, driver.Connection(connectionString), time);
        try
        {
            await session.LimitAsync(session._connection.OpenAsync(cancellationToken), limit, cancellationToken)
                .ConfigureAwait(false);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Reads rows.</summary>
    public async Task<IReadOnlyList<T>> ListAsync<T>(
        string text, Func<DbDataReader, T> read, TimeSpan limit, CancellationToken cancellationToken,
        params Bind[] binds)
    {
        var rows = new List<T>();
        await LimitAsync(
            ReadAsync(text, r => rows.Add(read(r)), limit, binds, cancellationToken), limit, cancellationToken)
            .ConfigureAwait(false);
        return rows;
    }

    /// <summary>Runs a block or a statement without rows, and returns its out parameters.</summary>
    public async Task<OutValues> RunAsync(
        string text, TimeSpan limit, CancellationToken cancellationToken, params Bind[] binds)
    {
        var values = new OutValues();
        await LimitAsync(ExecuteAsync(text, limit, binds, values, cancellationToken), limit, cancellationToken)
            .ConfigureAwait(false);
        return values;
    }

    /// <summary>Begins a transaction, which lasts until it is committed or the session ends.</summary>
    public ValueTask<DbTransaction> BeginAsync(CancellationToken cancellationToken) =>
        // The driver takes no unspecified one.
        _connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (_running is { IsCompleted: false } running)
        {
            // No caller waits for the result any longer: the outcome was reported as unknown.
            _ = running.ContinueWith(static (_, c) => ((DbConnection)c!).Dispose(), _connection, CancellationToken.None,
                TaskContinuationOptions.None, TaskScheduler.Default);
            return;
        }

        await _connection.DisposeAsync().ConfigureAwait(false);
    }

    private async Task ReadAsync(
        string text, Action<DbDataReader> take, TimeSpan limit, Bind[] binds, CancellationToken cancellationToken)
    {
        var command = _driver.Command(_connection, text, limit, binds);
        await using (command.ConfigureAwait(false))
        {
            var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    take(reader);
                }
            }
        }
    }

    private async Task ExecuteAsync(
        string text, TimeSpan limit, Bind[] binds, OutValues values, CancellationToken cancellationToken)
    {
        var command = _driver.Command(_connection, text, limit, binds);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
            values.Take(command.Parameters);
        }
    }

    private Task LimitAsync(Task call, TimeSpan limit, CancellationToken cancellationToken)
    {
        _running = call;
        return call.WaitAsync(limit + Grace, _time, cancellationToken);
    }
}
