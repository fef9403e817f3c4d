using Workflow.Abstractions;

namespace IntegrationTests.PostgreSql;

/// <summary>Every list of finished instances is read by an index, at no cost for commits.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresListTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    private const int Count = 40_000;
    private const int Finished = 2_000;

    [Fact]
    public async Task Lists_of_many_finished_instances_visit_few_pages()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await RunAsync(options, Fill);
            await RunAsync(options, "analyze finished_instances");
            await store.MaintainAsync(Cancel);
        }

        await options.EndedAsync();
        var pages = await NumberAsync(options, "select pg_relation_size('finished_instances') / 8192");

        (string List, InstanceQuery Query, int Found)[] lists =
        [
            ("one key", new() { CorrelationKey = "key-77" }, 1),
            ("no such key", new() { CorrelationKey = "nobody" }, 0),
            ("a key of many", new() { CorrelationKey = "shared", Limit = 50 }, 50),
            ("failed", new() { State = InstanceState.Failed, Limit = 50 }, 50),
            ("cancelled in an hour",
                new() { State = InstanceState.Cancelled, StartedFrom = At(30_000), StartedTo = At(33_600) }, 36),
            ("completed", new() { State = InstanceState.Completed, Limit = 50 }, 50),
            ("waiting", new() { State = InstanceState.Waiting }, 0),
            ("two minutes", new() { StartedFrom = At(20_000), StartedTo = At(20_100), Limit = 1_000 }, 100),
        ];
        foreach (var (list, query, found) in lists)
        {
            var before = await NumberAsync(options, Visits);
            await using (var reader = new PostgresStore(options.Named()))
            {
                Assert.Equal(found, (await reader.ListInstancesAsync(query.WithBounds(), Cancel)).Count);
            }

            await options.EndedAsync();
            var visited = await NumberAsync(options, Visits) - before;
            Assert.True(visited < pages / 4, $"The list of {list} visited {visited} pages; the table has {pages}.");
        }
    }

    [Fact]
    public async Task Finished_instances_change_only_the_index_of_their_ids()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await RunAsync(options, Fill);
        await store.MaintainAsync(Cancel);

        var with = await RecordsAsync(options, first: Count);
        await RunAsync(options, "drop index finished_by_key, finished_by_state");
        var without = await RecordsAsync(options, first: Count + Finished);

        Assert.InRange(without, Finished * 2, Finished * 3);
        Assert.InRange(with, 0, without * 1.01);
    }

    /// <summary>Without autovacuum, whose visits would be counted as those of a list.</summary>
    private static string Fill => $"""
        alter table finished_instances set (autovacuum_enabled = off);
        insert into finished_instances
        select {Row}, case when i % 200 = 0 then 4 when i % 100 = 1 then 5 else 3 end,
               case when i % 3 = 0 then 'shared' else 'key-' || i end, repeat('b', 200), repeat('h', 200), now(), now()
          from generate_series(0, {Count - 1}) i
        """;

    private static string Row => """
        (lpad(to_hex(1767225600000 + 1000 * i::bigint), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid, 0, 'order', 1, 2
        """;

    private static DateTimeOffset At(int second) =>
        DateTimeOffset.FromUnixTimeMilliseconds(1767225600000).AddSeconds(second);

    /// <summary>Pages of the table and its indexes that were looked at.</summary>
    private const string Visits = """
        select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint
          from pg_statio_user_tables where relname = 'finished_instances' and schemaname = current_schema()
        """;

    /// <summary>How many records of WAL it takes to store instances that have completed.</summary>
    private static async Task<long> RecordsAsync(PostgresStoreOptions options, int first)
    {
        await using var connection = await ConnectAsync(options);
        await using var command = new NpgsqlCommand(
            $"""
            explain (analyze, wal, format json) insert into finished_instances
            select {Row}, 3, 'new-' || i, repeat('b', 200), repeat('h', 200), now(), now()
              from generate_series({first}, {first + Finished - 1}) i
            """, connection);
        using var plan = JsonDocument.Parse((string)(await command.ExecuteScalarAsync(Cancel))!);
        return plan.RootElement[0].GetProperty("Plan").GetProperty("WAL Records").GetInt64();
    }

    private static async Task RunAsync(PostgresStoreOptions options, string sql) => await NumberAsync(options, sql);

    private static async Task<long> NumberAsync(PostgresStoreOptions options, string sql)
    {
        await using var connection = await ConnectAsync(options);
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync(Cancel) is long number ? number : 0;
    }

    private static async Task<NpgsqlConnection> ConnectAsync(PostgresStoreOptions options)
    {
        var connection =
            new NpgsqlConnection($"{options.Named().ConnectionString};Search Path={options.Schema};Pooling=false");
        await connection.OpenAsync(Cancel);
        return connection;
    }
}
