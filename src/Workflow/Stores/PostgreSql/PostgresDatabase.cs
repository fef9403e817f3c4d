namespace Workflow.Stores.PostgreSql;

/// <summary>
/// The connection pools of a store: lists, single instances, look-ups of lanes and inboxes; and connections without a
/// pool.
/// </summary>
internal sealed class PostgresDatabase : IAsyncDisposable
{
    // A put, a reading and a fetch of answers at a time.
    private const int InboxConnections = 3;

    // Of their own, so that nothing that somebody reads keeps a command waiting, or the renewal of leases, which loads
    // definitions.
    private const int LookupConnections = 2;

    // Pages of what lanes had in memory: more would take from the server what the first commands need.
    private const int RecoveryConnections = 2;

    // Lists have optional filters: planned with their values, so that the absent ones vanish and constraints and
    // partial indexes count. No index is missing, so that scanning a table is never right, though the statistics of a
    // key may say so.
    private const string ReadSettings =
        "-c plan_cache_mode=force_custom_plan -c enable_seqscan=off -c max_parallel_workers_per_gather=0";

    // Statements by key, planned while the tables are small: read row by row, never whole. Messages have an index.
    private const string InboxSettings =
        "-c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off -c enable_material=off";

    // Statements by key or in the order of one, planned once: those of look-ups by an index whatever the size of the
    // tables was then.
    private const string LookupSettings = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off "
        + "-c enable_bitmapscan=off";

    // Upkeep that meets a lock (a vacuum, a change of a table) gives up until the next time, so that nothing queues
    // behind it. What is oldest comes first by an index: to collect and sort all that there is can look better only by
    // statistics of a table that was all but empty. What a crash of the server undoes is done again, so that no portion
    // forces a write that flushes would wait for.
    private const string UpkeepSettings = "-c plan_cache_mode=force_custom_plan -c lock_timeout=500ms -c "
        + "synchronous_commit=off -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off";

    // Every statement is short, and a plan with a disabled kind of scan looks dear enough to be compiled: 20 to 90 ms
    // of a processor each.
    private const string AllSettings = "-c jit=off";

    /// <summary>
    /// In bytes: a flush of a few dozen commands leaves in one piece. In pieces of 8 kB, each would wake the server,
    /// which finds it incomplete.
    /// </summary>
    private const int FlushBuffer = 65_536;

    private readonly NpgsqlDataSource _upkeep;
    private readonly NpgsqlDataSource _single;

    public PostgresDatabase(NpgsqlConnectionStringBuilder target, int readConnections)
    {
        Target = target;
        Reads = Source(readConnections, ReadSettings);
        Instances = Source(readConnections, ReadSettings);
        Lookups = Source(LookupConnections, LookupSettings);
        Inboxes = Source(InboxConnections, InboxSettings);
        Recovery = Source(RecoveryConnections);
        _upkeep = Source(1, UpkeepSettings);
        _single = Source(pooled: 0);
    }

    public NpgsqlConnectionStringBuilder Target { get; }
    public NpgsqlDataSource Reads { get; }

    /// <summary>For reads of one instance by id, which are fast; also used by readiness and retries.</summary>
    public NpgsqlDataSource Instances { get; }

    public NpgsqlDataSource Lookups { get; }
    public NpgsqlDataSource Inboxes { get; }

    /// <summary>For what a lane had in memory before it was loaded, which is read whole, without an index.</summary>
    public NpgsqlDataSource Recovery { get; }

    /// <summary>Opens a connection without a pool. The caller disposes of it.</summary>
    public async Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _single.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (PostgresErrors.IsConnectionError(e))
        {
            throw PostgresErrors.ToUnavailable(e, Target);
        }
    }

    public Task<IReadOnlyList<T>> ReadAsync<T>(
        string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters) =>
        ReadAsync(Reads, sql, read, cancellationToken, parameters);

    public async Task<IReadOnlyList<T>> ReadAsync<T>(
        NpgsqlDataSource source, string sql, Func<NpgsqlDataReader, T> read,
        CancellationToken cancellationToken, params NpgsqlParameter[] parameters)
    {
        try
        {
            try
            {
                return await RunOnceAsync(source, sql, read, cancellationToken, parameters).ConfigureAwait(false);
            }
            catch (Exception e) when (PostgresErrors.IsLostConnection(e))
            {
                // A server that was restarted leaves dead connections in the pool, each of which would fail a read.
                // What is read here may be read twice.
                source.Clear();
                return await RunOnceAsync(
                    source, sql, read, cancellationToken,
                    Array.ConvertAll(parameters, p => p.Clone())).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (PostgresErrors.IsConnectionErrorOfCommand(e))
        {
            throw PostgresErrors.ToUnavailable(e, Target);
        }
    }

    /// <summary>
    /// Runs a statement of retention or upkeep, a transaction of its own, which waits for no lock for long. It may be
    /// run twice.
    /// </summary>
    public Task<IReadOnlyList<T>> MaintainAsync<T>(
        string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken,
        params NpgsqlParameter[] parameters) =>
        ReadAsync(_upkeep, sql, read, cancellationToken, parameters);

    public async ValueTask DisposeAsync()
    {
        await Reads.DisposeAsync().ConfigureAwait(false);
        await Instances.DisposeAsync().ConfigureAwait(false);
        await Lookups.DisposeAsync().ConfigureAwait(false);
        await Inboxes.DisposeAsync().ConfigureAwait(false);
        await Recovery.DisposeAsync().ConfigureAwait(false);
        await _upkeep.DisposeAsync().ConfigureAwait(false);
        await _single.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>
    /// All types here are the server's own: it is not asked for others when a pool begins, which would take it 5 ms.
    /// </summary>
    public static NpgsqlDataSource Source(NpgsqlConnectionStringBuilder target) =>
        new NpgsqlDataSourceBuilder(target.ConnectionString)
            .ConfigureTypeLoading(types => types.EnableTypeLoading(false)).Build();

    private NpgsqlDataSource Source(int pooled, string settings = "")
    {
        var target = new NpgsqlConnectionStringBuilder(Target.ConnectionString)
        {
            Pooling = pooled > 0,
            MinPoolSize = 0,
            MaxPoolSize = Math.Max(1, pooled),

            WriteBufferSize = pooled > 0 ? Target.WriteBufferSize : Math.Max(Target.WriteBufferSize, FlushBuffer),

            // No user of a pooled connection leaves anything in its session; the reset would be seven statements more
            // for each one of ours.
            NoResetOnClose = true,
            Options = $"{Target.Options} {AllSettings} {settings}".Trim(),
        };

        return Source(target);
    }

    private static async Task<IReadOnlyList<T>> RunOnceAsync<T>(
        NpgsqlDataSource source, string sql, Func<NpgsqlDataReader, T> read,
        CancellationToken cancellationToken, NpgsqlParameter[] parameters)
    {
        var connection = await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            return await Query.ListAsync(connection, sql, read, cancellationToken, parameters).ConfigureAwait(false);
        }
    }
}
