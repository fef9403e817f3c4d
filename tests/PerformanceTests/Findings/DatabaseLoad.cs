using LoadTesting.Core.Analysis.Findings;
using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace PerformanceTests.Findings;

/// <summary>
/// A small system whose one weak spot is chosen: a number of clients, each with a pooled connection, repeat one
/// operation.
/// </summary>
internal sealed record DatabaseLoad
{
    /// <summary>Sessions are looked at ten times a second, and at least thirty looks are needed.</summary>
    private static readonly TimeSpan Span = TimeSpan.FromSeconds(3.6);

    private TimeSpan WarmUp => TimeSpan.FromSeconds(RatePerSecond is null ? 0.4 : 1);

    /// <summary>What a client does with a connection.</summary>
    public required Func<NpgsqlConnection, IScenarioContext, Task> Operation { get; init; }

    /// <summary>Clients at a time, where <see cref="RatePerSecond"/> is null.</summary>
    public int Clients { get; init; } = 8;

    /// <summary>The rate of an open load. Null (the default) for a closed load.</summary>
    public int? RatePerSecond { get; init; }

    /// <summary>Connections of the pool.</summary>
    public int Connections { get; init; } = 8;

    /// <summary>Run once, by a superuser, in the database that is loaded; <c>{database}</c> is its name.</summary>
    public string Setup { get; init; } = "SELECT 1";

    /// <summary>Processes beside the load that use a processor each.</summary>
    public int Neighbours { get; init; }

    /// <summary>Loads the server and judges where the time went.</summary>
    public async Task<ProvokedRun> JudgeAsync(PostgresServer server, CancellationToken cancellationToken)
    {
        var database = await server.CreateDatabaseAsync("provoked", cancellationToken);
        try
        {
            await SetUpAsync(database, cancellationToken);
            await using var source = NpgsqlDataSource.Create(
                new NpgsqlConnectionStringBuilder(
                    database) { MaxPoolSize = Connections, MinPoolSize = Connections, Timeout = 30 });
            await RunAsync(source, WarmUp, cancellationToken);
            using var neighbours = new BusyProcesses(Neighbours);
            await using var collector = await PostgresCollector.StartAsync(
                PostgresCollector.ObserverOf(server, database), database, waitForReports: false, cancellationToken);
            await using var resources = new ResourceObserver([Environment.ProcessId], server) { HasNoEvents = true };
            await resources.StartAsync(cancellationToken);
            var load = await RunAsync(source, Span, cancellationToken);
            await resources.StopAsync(cancellationToken);
            var seen = resources.Seen;
            var counters = await collector.StopAsync(cancellationToken);
            var measured = load.Scenarios.Single();
            if (measured.Fail.Count > 0)
            {
                throw new InvalidOperationException($"{measured.Fail.Count} operations failed: "
                    + $"{measured.Fail.StatusCodes[0].Message}");
            }

            var inputs = seen.ToInputs(
                load, measured.Ok.Count, measured.Ok.Latency.AverageMs / 1000, counters, queueWaitSeconds: null);
            return new ProvokedRun(FindingRules.Judge(inputs), seen.OtherProcessors - Neighbours);
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
        }).WithLoadSimulations(RatePerSecond is { } rate
            ? Simulation.Inject(rate, TimeSpan.FromSeconds(1), span)
            : Simulation.KeepConstant(Clients, span));
        var options = new LoadOptions
            { HealthLimits = GeneratorHealthLimits.ForSystemInSameProcess with { MaximumJitterMs = null } };
        return new LoadRunner().RunAsync([scenario], options, cancellationToken);
    }

    private async Task SetUpAsync(string database, CancellationToken cancellationToken)
    {
        await using var connection =
            new NpgsqlConnection(new NpgsqlConnectionStringBuilder(database) { Pooling = false }.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command =
            new NpgsqlCommand(Setup.Replace("{database}", connection.Database, StringComparison.Ordinal), connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
