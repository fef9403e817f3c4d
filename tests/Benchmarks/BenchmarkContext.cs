using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Running;
using Npgsql;

namespace Benchmarks;

/// <summary>The server that every benchmark of a run shares, and its ceiling measured between the rounds.</summary>
internal sealed class BenchmarkContext : IAsyncDisposable
{
    private readonly BackendCatalog _catalog;
    private int _schemas;

    private BenchmarkContext(BackendCatalog catalog, string connectionString, string description, int rounds, TimeSpan duration)
    {
        _catalog = catalog;
        ConnectionString = connectionString;
        Description = description;
        Rounds = rounds;
        Duration = duration;
        Pgbench = new PgbenchCeiling(connectionString, duration);
    }

    public string ConnectionString { get; }

    public string Description { get; }

    public int Rounds { get; }

    public TimeSpan Duration { get; }

    public PgbenchCeiling Pgbench { get; }

    public static async Task<BenchmarkContext> CreateAsync(int rounds, TimeSpan duration, CancellationToken cancellationToken)
    {
        OptimisationCheck.RefuseUnoptimised(typeof(BenchmarkContext).Assembly);
        var catalog = new BackendCatalog(BackendVariables.FromEnvironment());
        var server = await catalog.PostgresAsync(cancellationToken);
        var connectionString = await server.CreateDatabaseAsync("benchmark", cancellationToken);
        var settings = await SettingsReadBack.ReadAsync(connectionString, cancellationToken);
        Console.WriteLine($"{server.Description}: {settings.Durability}; {rounds} interleaved rounds of {duration.TotalSeconds} s, {Environment.ProcessorCount} cores shared with the server");
        var context = new BenchmarkContext(catalog, connectionString, server.Description, rounds, duration);
        await context.Pgbench.PrepareAsync(cancellationToken);
        return context;
    }

    public string NewSchema() => $"bench_{Interlocked.Increment(ref _schemas)}_{Environment.ProcessId}";

    /// <summary>Transactions committed in the database so far, once the sessions have reported them.</summary>
    public async Task<long> CommitsAsync(CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(ConnectionString) { Pooling = false }.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand("select xact_commit from pg_stat_database where datname = current_database()", connection);
        return (long)(await command.ExecuteScalarAsync(cancellationToken))!;
    }

    public ValueTask DisposeAsync() => _catalog.DisposeAsync();
}
