using LoadTesting.Core.Analysis.Findings;
using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace PerformanceTests.Findings;

/// <summary>
/// A small system whose one weak spot is chosen: so many clients, each with a connection of a pool, each doing one thing again and again.
/// </summary>
internal sealed record DatabaseLoad
{
    /// <summary>Sessions are looked at ten times a second, and at least thirty looks are needed.</summary>
    private static readonly TimeSpan Span = TimeSpan.FromSeconds(3.4);

    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(0.3);

    /// <summary>What a client does with a connection.</summary>
    public required Func<NpgsqlConnection, IScenarioContext, Task> Operation { get; init; }

    /// <summary>Clients at a time.</summary>
    public int Clients { get; init; } = 8;

    /// <summary>Connections of the pool.</summary>
    public int Connections { get; init; } = 8;

    /// <summary>Run once, by a superuser, in the database that is loaded; <c>{database}</c> is its name.</summary>
    public string Setup { get; init; } = "SELECT 1";

    /// <summary>Loads the server and judges where the time went.</summary>
    public async Task<ProvokedRun> JudgeAsync(PostgresServer server, CancellationToken cancellationToken)
    {
        var database = await server.CreateDatabaseAsync("provoked", cancellationToken);
        try
        {
            await SetUpAsync(database, cancellationToken);
            await using var source = NpgsqlDataSource.Create(
                new NpgsqlConnectionStringBuilder(database) { MaxPoolSize = Connections, Timeout = 30 });
            await RunAsync(source, WarmUp, cancellationToken);
            await using var collector = await PostgresCollector.StartAsync(
                PostgresCollector.ObserverOf(server, database), database, waitForReports: false, cancellationToken);
            await using var resources = new ResourceObserver([Environment.ProcessId], ServerUnderWatch.Of(server));
            await resources.StartAsync(cancellationToken);
            var load = await RunAsync(source, Span, cancellationToken);
            await resources.StopAsync(cancellationToken);
            var seen = resources.Seen;
            var counters = await collector.StopAsync(cancellationToken);
            var measured = load.Scenarios.Single();
            if (measured.Fail.Count > 0)
            {
                throw new InvalidOperationException($"{measured.Fail.Count} operations failed: {measured.Fail.StatusCodes[0].Message}");
            }

            var inputs = seen.ToInputs(load, measured.Ok.Count, measured.Ok.Latency.AverageMs / 1000, counters, queueWaitSeconds: null);
            return new ProvokedRun(FindingRules.Judge(inputs), seen.OtherProcessors);
        }
        finally
        {
            await server.DropDatabaseAsync(database, CancellationToken.None);
        }
    }

    private Task<LoadResult> RunAsync(NpgsqlDataSource source, TimeSpan span, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create("provoked", async context =>
        {
            await using var connection = await source.OpenConnectionAsync(context.ScenarioCancellationToken);
            await Operation(connection, context);
            return Response.Ok();
        }).WithLoadSimulations(Simulation.KeepConstant(Clients, span));
        var options = new LoadOptions { HealthLimits = GeneratorHealthLimits.ForSystemInSameProcess with { MaximumJitterMs = null } };
        return new LoadRunner().RunAsync([scenario], options, cancellationToken);
    }

    private async Task SetUpAsync(string database, CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(database) { Pooling = false }.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(Setup.Replace("{database}", connection.Database, StringComparison.Ordinal), connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
