using System.Security.Cryptography;
using LoadTesting.Core.Analysis.Findings;
using Npgsql;
using PerformanceTesting.Backends.PostgreSql;

namespace PerformanceTests.Findings;

/// <summary>
/// Limits that are there on purpose, on a real server: the first finding must name each, and the same load without it must exonerate the
/// resource. Effects are large and judged by shares, so that a busy neighbour does not change the answer.
/// </summary>
[Trait(TierNames.Trait, TierNames.Findings)]
public sealed class ProvokedFindingsTests(RunFixture run)
{
    private const string Rows =
        "CREATE TABLE counters (id int PRIMARY KEY, number bigint NOT NULL); INSERT INTO counters SELECT i, 0 FROM "
        + "generate_series(0, 63) i;";

    // A disk that takes 50 ms to force a write: the server waits that long before it does, with the others in the queue behind it.
    private const string SlowFlush =
        "ALTER DATABASE {database} SET commit_delay = 50000; ALTER DATABASE {database} SET commit_siblings = 0;";

    private const string Wait = "SELECT pg_sleep(0.02)";

    // As long as computing takes on a machine that others use too: what a neighbour takes from a client then weighs little.
    private const string LongWait = "SELECT pg_sleep(0.1)";

    private const string ShortWait = "SELECT pg_sleep(0.005)";

    private static readonly byte[] Megabyte = new byte[1 << 20];

    [Fact]
    public Task Pool_of_too_few_connections_is_named() =>
        NamesAsync(ResourceNames.ConnectionPool, Statement(Wait) with { Clients = 16, Connections = 2 });

    [Fact]
    public Task Pool_with_a_connection_for_each_client_is_exonerated() =>
        ExoneratesAsync(ResourceNames.ConnectionPool, Statement(Wait) with { Clients = 16, Connections = 16 });

    [Fact]
    public Task Commits_that_queue_for_a_slow_flush_are_named() =>
        NamesAsync(ResourceNames.WalFlush, Commits("on"));

    [Fact]
    public Task Commits_that_wait_for_no_flush_exonerate_it() =>
        ExoneratesAsync(ResourceNames.WalFlush, Commits("off"));

    [Fact]
    public Task Service_that_computes_on_every_processor_is_named() =>
        NamesAsync(ResourceNames.ServiceCpu, new DatabaseLoad
        {
            Operation = async (connection, _) =>
            {
                await RunAsync(connection, "SELECT 1");
                Burn();
            },
        });

    [Fact]
    public Task Service_that_waits_instead_of_computing_is_exonerated() =>
        ExoneratesAsync(ResourceNames.ServiceCpu, Statement(LongWait));

    [Fact]
    public Task Database_that_computes_on_every_processor_is_named() =>
        NamesAsync(ResourceNames.DatabaseCpu, Statement("SELECT count(*) FROM generate_series(1, 100000)"));

    [Fact]
    public Task Database_that_waits_instead_of_computing_is_exonerated() =>
        ExoneratesAsync(ResourceNames.DatabaseCpu, Statement(LongWait));

    [Fact]
    public Task One_row_that_all_clients_update_is_named() =>
        NamesAsync(ResourceNames.Locks, Updates(_ => 0));

    [Fact]
    public Task A_row_for_each_client_exonerates_locks() =>
        ExoneratesAsync(ResourceNames.Locks, Updates(client => client));

    private Task NamesAsync(string resource, DatabaseLoad load) => ProvokedRun.CheckAsync(() => JudgeAsync(load), findings =>
    {
        var first = findings.Ranked.FirstOrDefault();
        Assert.Equal(resource, first?.Resource);
        Assert.Equal(1, first!.Rank);
        Assert.True(first.ShareOfResponseTime > 0.5, $"{resource}: {first.ShareOfResponseTime:P0} of the response time");
        Assert.Equal(ResourceState.Guilty, findings.Resources.Single(r => r.Resource == resource).State);
    });

    private Task ExoneratesAsync(string resource, DatabaseLoad load) => ProvokedRun.CheckAsync(() => JudgeAsync(load), findings =>
    {
        Assert.Equal(ResourceState.Exonerated, findings.Resources.Single(r => r.Resource == resource).State);
        Assert.DoesNotContain(findings.Ranked, finding => finding.Resource == resource);
    });

    private async Task<ProvokedRun> JudgeAsync(DatabaseLoad load)
    {
        await run.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await run.Catalog.PostgresAsync(Cancel);
        Assert.SkipUnless(
            server.ProcessId is not null && OperatingSystem.IsLinux(),
            "Provoking takes a superuser and a view of the server's processes: a server of our own, on Linux.");
        return await load.JudgeAsync(server, Cancel);
    }

    /// <summary>Some 20 ms of a processor, whatever else runs on it.</summary>
    private static void Burn()
    {
        for (var i = 0; i < 20; i++)
        {
            SHA256.HashData(Megabyte);
        }
    }

    private static DatabaseLoad Statement(string statement) => new() { Operation = (connection, _) => RunAsync(connection, statement) };

    /// <summary>Many small commits, each of a row of its client's own.</summary>
    private static DatabaseLoad Commits(string synchronous) => new()
    {
        Clients = 16,
        Connections = 16,
        Setup = Rows + SlowFlush,
        Operation = (connection, context) =>
            RunAsync(connection, ShortWait, $"SET synchronous_commit = {synchronous}", Increment(context.ScenarioInfo.InstanceNumber)),
    };

    /// <summary>Transactions that hold the row they update for a while; which one depends on the client.</summary>
    private static DatabaseLoad Updates(Func<int, int> rowOf) => new()
    {
        Setup = Rows,
        Operation = (connection, context) =>
            RunAsync(connection, "BEGIN", Increment(rowOf(context.ScenarioInfo.InstanceNumber)), ShortWait, "COMMIT"),
    };

    private static string Increment(int row) => $"UPDATE counters SET number = number + 1 WHERE id = {row}";

    /// <summary>One round trip each, as a service does that asks one thing after the other.</summary>
    private static async Task RunAsync(NpgsqlConnection connection, params string[] statements)
    {
        foreach (var statement in statements)
        {
            await using var command = new NpgsqlCommand(statement, connection);
            await command.ExecuteNonQueryAsync(Cancel);
        }
    }
}
