using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace Benchmarks;

/// <summary>The server that every benchmark of a run shares, and its ceiling measured between the rounds.</summary>
internal sealed class BenchmarkContext : IAsyncDisposable
{
    private readonly BackendCatalog _catalog;
    private readonly TimeSpan _waitForQuiet;
    private int _schemas;

    private BenchmarkContext(BackendCatalog catalog, string connectionString, BenchmarkOptions options)
    {
        _catalog = catalog;
        ConnectionString = connectionString;
        Rounds = options.Rounds;
        Duration = options.Duration;
        Stock = options.Stock;
        Timers = options.Timers;
        Kills = options.Kills;
        Load = options.Load ?? options.Rounds * options.Duration;
        _waitForQuiet = options.WaitForQuiet;
        Pgbench = new PgbenchCeiling(connectionString, options.Duration);
    }

    /// <summary>Other servers.</summary>
    public BackendCatalog Catalog => _catalog;

    public string ConnectionString { get; }
    public int Rounds { get; }
    public TimeSpan Duration { get; }
    public PgbenchCeiling Pgbench { get; }

    /// <inheritdoc cref="BenchmarkOptions.Stock"/>
    public int Stock { get; }

    /// <inheritdoc cref="BenchmarkOptions.Timers"/>
    public int Timers { get; }

    /// <inheritdoc cref="BenchmarkOptions.Kills"/>
    public int Kills { get; }

    /// <inheritdoc cref="BenchmarkOptions.Load"/>
    public TimeSpan Load { get; }

    /// <exception cref="InvalidOperationException">Code or server is unfit to be measured; says why.</exception>
    public static async Task<BenchmarkContext> CreateAsync(
        BenchmarkOptions options, CancellationToken cancellationToken)
    {
        OptimisationCheck.RefuseUnoptimised(typeof(BenchmarkContext).Assembly);
        return await new BackendCatalog(BackendVariables.FromEnvironment()).OrDisposeAsync(async catalog =>
        {
            var server = await catalog.PostgresAsync(cancellationToken);
            var connectionString = await server.CreateDatabaseAsync("benchmark", cancellationToken);
            var settings = await PostgresSettings.ReadAsync(connectionString, cancellationToken);
            Console.WriteLine($"{server.Description}: {settings.Durability}; {options.Rounds} interleaved rounds of "
                + $"{options.Duration.TotalSeconds} s, {Environment.ProcessorCount} cores shared with the server");
            RefuseNotDurable(settings, options);
            if (server.Host.Provision != ProvisionMode.External)
            {
                await ReuseLogFilesAsync(server.AdministrationConnectionString, cancellationToken);
            }

            var context = new BenchmarkContext(catalog, connectionString, options);
            await context.Pgbench.PrepareAsync(cancellationToken);
            return context;
        });
    }

    public string NewSchema() => $"bench_{Interlocked.Increment(ref _schemas)}_{Environment.ProcessId}";

    /// <summary>Waits for a quiet machine if configured, and records the load of other processes.</summary>
    public async Task BeginRoundAsync(Rounds rounds, CancellationToken cancellationToken)
    {
        if (await ForeignLoad.WaitForQuietAsync(_waitForQuiet, cancellationToken) is { } share)
        {
            rounds.Add("machine before the round, busy share of all cores", share);
        }
    }

    /// <summary>Committed transactions of the database. Sessions report them within a second or at their end.</summary>
    public async Task<long> CommitsAsync(CancellationToken cancellationToken) => (long)(await ScalarAsync(
        ConnectionString, "select xact_commit from pg_stat_database where datname = current_database()",
        cancellationToken))!;

    /// <summary>Bytes of log that the server has written since its creation, page images and upkeep included.</summary>
    public async Task<decimal> LogBytesAsync(CancellationToken cancellationToken) => (decimal)(await ScalarAsync(
        ConnectionString, "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn", cancellationToken))!;

    /// <summary>Bytes of page images in a part of the log.</summary>
    /// <param name="from">As <see cref="LogBytesAsync"/> gives it.</param>
    public async Task<decimal> LogImageBytesAsync(decimal from, decimal to, CancellationToken cancellationToken)
    {
        await ScalarAsync(ConnectionString, "create extension if not exists pg_walinspect", cancellationToken);
        return (decimal)(await ScalarAsync(
            ConnectionString,
            string.Create(CultureInfo.InvariantCulture, $"""
                select coalesce(sum(fpi_size), 0)::numeric
                  from pg_get_wal_stats('0/0'::pg_lsn + {from}, least('0/0'::pg_lsn + {to}, pg_current_wal_flush_lsn()))
                """),
            cancellationToken))!;
    }

    public async ValueTask DisposeAsync()
    {
        Pgbench.Dispose();
        await _catalog.DisposeAsync();
    }

    /// <summary>
    /// Brings a new server to where one soon is that has work: it reuses the files of its log. Until then it makes and
    /// fills each of them, some 35 ms in which nothing commits, for every 16 MB.
    /// </summary>
    private static async Task ReuseLogFilesAsync(string administration, CancellationToken cancellationToken)
    {
        const int Megabytes = 2_048; // As max_wal_size: what a checkpoint leaves is enough up to the next one.
        foreach (var statement in new[]
        {
            $"alter system set min_wal_size = '{Megabytes}MB'",
            "select pg_reload_conf()",
            $"do $$ begin for i in 1..{Megabytes} loop perform pg_logical_emit_message(false, 'fill', repeat('x', "
                + "1048576)); end loop; end $$",
            "checkpoint",
        })
        {
            await ScalarAsync(administration, statement, cancellationToken);
        }
    }

    /// <summary>Runs a statement in a separate session outside any pool and returns its first value.</summary>
    private static async Task<object?> ScalarAsync(
        string connectionString, string sql, CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false }.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(sql, connection) { CommandTimeout = 120 };
        return await command.ExecuteScalarAsync(cancellationToken);
    }

    private static void RefuseNotDurable(SettingsReadBack settings, BenchmarkOptions options)
    {
        if (!settings.IsDurable && !options.AllowNotDurable)
        {
            throw new InvalidOperationException(
                $"The server is {settings.Durability}, so its commits and ours would mean nothing. "
                    + "Switch the named settings on, or pass "
                + "--allow-not-durable and quote the figures as such.");
        }
    }
}
