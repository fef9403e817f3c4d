using Workflow.Abstractions;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Tasks;

namespace IntegrationTests.PostgreSql;

/// <summary>No search and no count walks a large table, whatever it looks for.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresSearchTests(PostgresSearchTests.Filled tables) : IClassFixture<PostgresSearchTests.Filled>
{
    private const int Rows = 60_000;
    private const int Most = 1_000;

    /// <summary>
    /// The rows of a table that a search may fetch, for the count and for the page: an index of ids also passes rows of
    /// another state where half of the rows have the one that is asked for.
    /// </summary>
    private const int MostFetched = 4 * Most;

    public static TheoryData<string> Searches =>
    [
        "definition", "definition prefix", "key prefix", "key prefix that nobody has", "id prefix", "completed",
        "waiting", "suspended", "failed", "failed of a definition", "cancelled and key prefix", "no filter",
    ];

    [Theory]
    [MemberData(nameof(Searches))]
    public async Task Search_of_instances_examines_no_more_than_allowed(string search)
    {
        var options = await tables.OptionsAsync();
        var before = await FetchedAsync(options, "instances", "dormant_instances", "finished_instances");
        var query = QueryOf(search) with { NewestFirst = true };
        await using (var store = new PostgresStore(options.Named()))
        {
            var count = await store.CountInstancesAsync(query.WithBounds(), Most, Cancel);
            Assert.InRange(count.Examined, 0, Most);
            Assert.InRange(count.Matching, 0, count.Examined);
            var bound = count.Last is { } last ? IdBounds.Before(last) : (Guid?)null;
            var found = await store.ListInstancesAsync(
                query.WithBounds() with
                {
                    After = bound ?? query.WithBounds().After, Limit = 50, MostExamined = Most,
                },
                Cancel);
            Assert.Equal(Math.Min(50, count.Matching), found.Count);
        }

        await options.EndedAsync();
        var after = await FetchedAsync(options, "instances", "dormant_instances", "finished_instances");
        Assert.InRange(after - before, 0, MostFetched);
    }

    [Theory]
    [InlineData("team-7", null, null), InlineData("team-7", null, TaskState.Open)]
    [InlineData(null, "ann", null), InlineData(null, "ann", TaskState.Open)]
    [InlineData(null, null, TaskState.Completed), InlineData("nobody", "nobody", TaskState.Open)]
    public async Task Search_of_tasks_examines_no_more_than_allowed(string? group, string? assignee, TaskState? state)
    {
        var options = await tables.OptionsAsync();
        var before = await FetchedAsync(options, "tasks");
        var query = new TaskQuery { Group = group, Assignee = assignee, State = state, NewestFirst = true };
        await using (var store = new PostgresStore(options.Named()))
        {
            var count = await store.CountTasksAsync(query, Most, Cancel);
            Assert.InRange(count.Examined, 0, Most);
            Assert.InRange(count.Matching, 0, count.Examined);
            var found = await store.ListTasksAsync(query with { Limit = 50, MostExamined = Most }, Cancel);
            Assert.Equal(Math.Min(50, count.Matching), found.Count);
        }

        await options.EndedAsync();
        Assert.InRange(await FetchedAsync(options, "tasks") - before, 0, MostFetched);
    }

    [Theory]
    [InlineData(false, null), InlineData(true, null), InlineData(false, DeadLetterKind.Timer)]
    public async Task Search_of_dead_letters_examines_no_more_than_allowed(bool replayed, DeadLetterKind? kind)
    {
        var options = await tables.OptionsAsync();
        var before = await FetchedAsync(options, "dead_letters");
        var query = new DeadLetterQuery { Replayed = replayed, Kind = kind, NewestFirst = true };
        await using (var store = new PostgresStore(options.Named()))
        {
            var count = await store.CountDeadLettersAsync(query, Most, Cancel);
            Assert.Equal(Most, count.Examined);
            Assert.InRange(count.Matching, 0, Most);
            var found = await store.ListDeadLettersAsync(query with { Limit = 50, MostExamined = Most }, Cancel);
            Assert.Equal(Math.Min(50, count.Matching), found.Count);
        }

        await options.EndedAsync();
        Assert.InRange(await FetchedAsync(options, "dead_letters") - before, 0, MostFetched);
    }

    private static InstanceQuery QueryOf(string search) => search switch
    {
        "definition" => new() { Definition = "rare" },
        "definition prefix" => new() { DefinitionPrefix = "ra" },
        "key prefix" => new() { CorrelationKeyPrefix = "key-1" },
        "key prefix that nobody has" => new() { CorrelationKeyPrefix = "nobody" },
        "id prefix" => new() { IdPrefix = "019b7" },
        "completed" => new() { State = InstanceState.Completed },
        "waiting" => new() { State = InstanceState.Waiting },
        "suspended" => new() { State = InstanceState.Suspended },
        "failed" => new() { State = InstanceState.Failed },
        "failed of a definition" => new() { State = InstanceState.Failed, Definition = "rare" },
        "cancelled and key prefix" => new() { State = InstanceState.Cancelled, CorrelationKeyPrefix = "nobody" },
        "no filter" => new(),
        _ => throw new ArgumentOutOfRangeException(nameof(search), search, "There is no such search."),
    };

    /// <summary>
    /// Without autovacuum, whose visits would be counted. Live and finished instances alternate, and half of the live
    /// ones are dormant; one definition has the oldest rows only.
    /// </summary>
    private static string Fill => $"""
        alter table instances set (autovacuum_enabled = off);
        alter table dormant_instances set (autovacuum_enabled = off);
        alter table finished_instances set (autovacuum_enabled = off);
        alter table tasks set (autovacuum_enabled = off);
        alter table dead_letters set (autovacuum_enabled = off);
        insert into finished_instances
        select {Id("2 * i")}, 0, case when i < 5 then 'rare' else 'order' end, 1, 2,
               case when i % 10 = 0 then 4 when i % 10 = 1 then 5 else 3 end, 'key-' || i, 'b', 'h', now(), now()
          from generate_series(0, {Rows - 1}) i;
        insert into instances
        select {Id("2 * i + 1")}, 0, 'order', 1, 2, case when i < 5 then 2 else 1 end, 'key-' || i, 'b', 'h', now(),
               now()
          from generate_series(0, {Rows - 1}, 2) i;
        insert into dormant_instances
        select {Id("2 * i + 1")}, 0, 'order', 1, 2, 1, 'key-' || i, 'b', 'h', now(), now(), null
          from generate_series(1, {Rows - 1}, 2) i;
        insert into tasks
        select {Id("i")}, 0, {Id("i")}, 'order', 1, 'key-' || i, 'ask', case when i % 2 = 0 then 0 else 1 end,
               case when i % 3 = 0 then 'ann' end, array['team-' || i % 10], null, now(), now(), null
          from generate_series(0, {Rows - 1}) i;
        insert into dead_letters
        select {Id("i")}, 0, 0, {Id("i")}, null, 'r', 1, 'p', now(), now(),
               case when i % 2 = 0 then now() end, case when i % 2 = 0 then true end
          from generate_series(0, {Rows - 1}) i;
        analyze instances; analyze dormant_instances; analyze finished_instances; analyze tasks; analyze dead_letters
        """;

    private static string Id(string number) =>
        $"(lpad(to_hex(1767225600000 + 10 * ({number})::bigint), 12, '0') || '70008000'"
        + $" || lpad(to_hex({number}), 12, '0'))::uuid";

    /// <summary>Rows of the tables that the server has fetched so far, by a scan or by an index.</summary>
    private static Task<long> FetchedAsync(PostgresStoreOptions options, params string[] tables) => RunAsync(
        options,
        $"""
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables
         where schemaname = current_schema() and relname in ('{string.Join("', '", tables)}')
        """);

    private static async Task<long> RunAsync(PostgresStoreOptions options, string sql)
    {
        await using var connection =
            new NpgsqlConnection($"{options.Named().ConnectionString};Search Path={options.Schema};Pooling=false");
        await connection.OpenAsync(Cancel);
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync(Cancel) is long number ? number : 0;
    }

    /// <summary>Tables that every test reads, filled by the first one.</summary>
    public sealed class Filled(BackendFixture backends) : PostgresStoreFixture(backends)
    {
        private PostgresStoreOptions? _filled;

        public async Task<PostgresStoreOptions> OptionsAsync()
        {
            if (_filled is null)
            {
                var options = await OptionsAsync(Cancel);
                await using (var store = new PostgresStore(options.Named()))
                {
                    await store.OpenAsync(Cancel);
                    await RunAsync(options, Fill);
                }

                await options.EndedAsync();
                _filled = options;
            }

            return _filled;
        }
    }
}
