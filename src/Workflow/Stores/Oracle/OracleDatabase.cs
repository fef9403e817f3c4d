using System.Data.Common;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle;

/// <summary>Short calls, each on a pooled connection.</summary>
internal sealed class OracleDatabase(
    OracleDriver driver, OracleTarget target, int connections, int kept, TimeProvider time)
{
    /// <summary>The limit of a short call.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    /// <summary>The limit of a call that reads whole tables.</summary>
    public static readonly TimeSpan LoadLimit = TimeSpan.FromMinutes(5);

    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(15);

    private readonly string _pooled = target.Pooled(connections, kept);
    private readonly string _single = target.Single();

    /// <summary>Opens a connection without a pool. The caller disposes of it.</summary>
    public async Task<OracleSession> ConnectAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await OracleSession.OpenAsync(driver, _single, ConnectLimit, time, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (Exception e) when (DriverErrors.IsDriverError(e))
        {
            throw ToUnavailable(e);
        }
    }

    /// <summary>
    /// Reads rows. A server that was restarted leaves dead connections in the pool, each of which would fail a read:
    /// what is read here may be read twice.
    /// </summary>
    public Task<IReadOnlyList<T>> ListAsync<T>(
        string sql, Func<DbDataReader, T> read, CancellationToken cancellationToken, params Bind[] binds) =>
        ListAsync(sql, read, Limit, cancellationToken, binds);

    /// <inheritdoc cref="ListAsync{T}(string, Func{DbDataReader, T}, CancellationToken, Bind[])"/>
    public async Task<IReadOnlyList<T>> ListAsync<T>(
        string sql, Func<DbDataReader, T> read, TimeSpan limit, CancellationToken cancellationToken,
        params Bind[] binds)
    {
        for (var dead = 0; ; dead++)
        {
            try
            {
                var session = await OracleSession.OpenAsync(driver, _pooled, ConnectLimit, time, cancellationToken)
                    .ConfigureAwait(false);
                await using (session.ConfigureAwait(false))
                {
                    return await session.ListAsync(sql, read, limit, cancellationToken, binds).ConfigureAwait(false);
                }
            }
            catch (DbException e) when (DriverErrors.IsLostSession(e) && dead < connections)
            {
                // Closed with an error, a connection does not go back into the pool: the next one may be good.
            }
            catch (Exception e) when (DriverErrors.IsDriverError(e))
            {
                throw ToUnavailable(e);
            }
        }
    }

    /// <summary>
    /// Reads rows by the filters that have a value: the lines of the others are left out, so that an index can serve
    /// what is left. The server knows one text for each combination.
    /// </summary>
    public Task<IReadOnlyList<T>> PageAsync<T>(
        string sql, Func<DbDataReader, T> read, CancellationToken cancellationToken, params Bind[] filters)
    {
        var absent = Array.FindAll(filters, f => f.IsNull);
        var lines = sql.Split('\n').Where(line =>
            !Array.Exists(absent, f => line.Contains($":{f.Name}", StringComparison.Ordinal)));
        return ListAsync(string.Join('\n', lines), read, cancellationToken, Array.FindAll(filters, f => !f.IsNull));
    }

    /// <summary>
    /// Runs a block once. After an error the outcome is unknown, unless the server refused the block.
    /// </summary>
    public async Task<OutValues> RunAsync(string sql, CancellationToken cancellationToken, params Bind[] binds)
    {
        OracleSession session;
        try
        {
            session = await OracleSession.OpenAsync(driver, _pooled, ConnectLimit, time, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (Exception e) when (DriverErrors.IsDriverError(e))
        {
            throw ToUnavailable(e);
        }

        await using (session.ConfigureAwait(false))
        {
            try
            {
                return await session.RunAsync(sql, Limit, cancellationToken, binds).ConfigureAwait(false);
            }
            catch (Exception e) when (DriverErrors.IsDriverError(e))
            {
                throw new StoreUnavailableException(
                    ToUnavailable(e).Message, outcomeUnknown: OracleErrors.Kind(e) == FlushFailure.Unavailable, e);
            }
        }
    }

    public async Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
        IReadOnlyCollection<string> keys, CancellationToken cancellationToken) => keys.Count == 0
        ? []
        : await ListAsync(Sql.Inbox["find_keys"], OracleRows.Key, cancellationToken,
            Bind.Document("p_keys", JsonSerializer.Serialize(keys))).ConfigureAwait(false);

    public StoreUnavailableException ToUnavailable(Exception error) => DriverErrors.ToUnavailable(error, target);
}
