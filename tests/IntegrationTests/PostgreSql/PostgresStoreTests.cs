using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Tasks;

namespace IntegrationTests.PostgreSql;

/// <summary>Schema and connection of the store on PostgreSQL.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresStoreTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    [Fact]
    public async Task Concurrent_schema_creation_has_one_effect()
    {
        var options = await stores.OptionsAsync(Cancel);
        var others = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => stores.OptionsAsync(Cancel)));
        await Task.WhenAll(others.Append(options).Select(OpenAndCloseAsync));
        var before = await VersionsAsync(options);

        await OpenAndCloseAsync(options);

        Assert.NotEmpty(before);
        Assert.Equal(before, await VersionsAsync(options));
    }

    [Fact]
    public async Task Stores_open_one_schema_at_the_same_time()
    {
        var options = await stores.OptionsAsync(Cancel);

        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => OpenAndCloseAsync(options)));

        Assert.NotEmpty(await VersionsAsync(options));
    }

    [Fact]
    public async Task Owner_stopped_during_a_flush_does_not_keep_its_lane()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        var (stopped, next) = (
            new NodeIdentity(Guid.CreateVersion7(), "stopped"),
            new NodeIdentity(Guid.CreateVersion7(), "next"));
        var lease = TimeSpan.FromMilliseconds(300);
        await store.Cluster.JoinAsync(stopped, 1, lease, Cancel);
        await store.Cluster.JoinAsync(next, 1, lease, Cancel);
        await store.Cluster.ClaimAsync(stopped.Id, [0], lease, Cancel);

        // Half a flush: the lane's row is locked, and the rest never comes.
        await using var half = new NpgsqlConnection(options.ConnectionString);
        await half.OpenAsync(Cancel);
        await using var transaction = await half.BeginTransactionAsync(Cancel);
        await using var command = new NpgsqlCommand(
            $"""
            update {options.Schema}.leases set session = a.pid, session_start = a.backend_start
            from pg_stat_activity a where a.pid = pg_backend_pid();
            commit; begin;
            select 1 from {options.Schema}.lanes for no key update;
            insert into {options.Schema}.batches values (0, 1, 0, 0)
            """,
            half);
        await command.ExecuteNonQueryAsync(Cancel);
        await Task.Delay(lease * 2, Cancel);

        await Eventually.BecomesAsync(
            () => store.Cluster.ClaimAsync(next.Id, [0], lease, Cancel),
            claimed => claimed.Count > 0,
            _ => "the lane to be claimed");

        Assert.Equal(0L, await ExecuteAsync(options, $"select number from {options.Schema}.lane_ends"));
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => transaction.CommitAsync(Cancel));
    }

    [Fact]
    public async Task First_published_secret_counts()
    {
        await using var store = new PostgresStore(await stores.OptionsAsync(Cancel));
        await store.OpenAsync(Cancel);
        var lease = TimeSpan.FromSeconds(30);
        NodeIdentity[] nodes = [new(Guid.CreateVersion7(), "first"), new(Guid.CreateVersion7(), "second")];
        foreach (var node in nodes)
        {
            await store.Cluster.JoinAsync(node, 1, lease, Cancel);
        }

        var before = await store.Cluster.RenewAsync(nodes[0].Id, lease, Cancel);
        await store.Cluster.PublishAsync(nodes[1].Id, new("http://127.0.0.1:5081"), "a secret", Cancel);
        await store.Cluster.PublishAsync(nodes[1].Id, new("http://127.0.0.1:5082"), "another", Cancel);
        await store.Cluster.JoinAsync(nodes[1], 1, lease, Cancel);
        var after = await store.Cluster.RenewAsync(nodes[0].Id, lease, Cancel);

        Assert.Null(before.Secret);
        Assert.All(before.Nodes, n => Assert.Null(n.Address));
        Assert.Equal("a secret", after.Secret);
        Assert.Equal([null, new("http://127.0.0.1:5082/")], after.Nodes.Select(n => n.Address));
    }

    /// <summary>
    /// During an open transaction PostgreSQL keeps every version of a row, and updates pass them all.
    /// </summary>
    [Fact]
    public async Task Flush_leaves_no_version_of_its_lanes_row_behind()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var version = $"select ctid::text || ' ' || xmin::text from {options.Schema}.lanes";
        var before = await ExecuteAsync(options, version);

        await lane.FlushAsync(StoreRows.Batch(1, 1, b => b.Events.Add(StoreRows.Event(1))), Cancel);
        await lane.FlushAsync(StoreRows.Batch(2, 2, b => b.Events.Add(StoreRows.Event(2))), Cancel);

        Assert.Equal(before, await ExecuteAsync(options, version));
        Assert.Equal(2L, await ExecuteAsync(options, $"select number from {options.Schema}.lane_ends"));
        Assert.Equal([1L, 2L], (await store.ReadEventsAsync(0, 0, 10, Cancel)).Select(e => e.Sequence));
    }

    [Fact]
    public async Task Two_nodes_trimming_at_once_remove_only_what_is_over()
    {
        const int Count = 300;
        var options = await stores.OptionsAsync(Cancel);
        await using var first = new PostgresStore(options);
        await using var second = new PostgresStore(options);
        await first.OpenAsync(Cancel);
        await second.OpenAsync(Cancel);
        await using var lane = await first.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var tomorrow = StoreRows.Now.AddDays(1);
        var old = Enumerable.Range(0, Count).Select(_ => Guid.CreateVersion7(StoreRows.Now)).ToArray();
        for (var sequence = 1; sequence <= 20; sequence++)
        {
            var batch = StoreRows.Batch(sequence, sequence, b => b.Events.Add(StoreRows.Event(sequence)));
            batch.PublishedSequence = sequence;
            foreach (var id in old.Chunk(Count / 20).ElementAt(sequence - 1))
            {
                batch.Instances.Add(StoreRows.New(StoreRows.Instance(id, 1, InstanceState.Completed)));
                batch.Tasks.Add(StoreRows.Task(Guid.CreateVersion7(StoreRows.Now), id));
                batch.Children.Add(new ChildRow(id, Guid.NewGuid()));
                batch.Keys.Add(new IdempotencyRow($"start:{id}", "hash", id, StoreRows.Now));
            }

            await lane.FlushAsync(batch, Cancel);
        }

        await ExecuteAsync(
            options,
            $"""
            update {options.Schema}.finished_instances set revision = 11;
            insert into {options.Schema}.instance_history select id, n, 'line'
              from {options.Schema}.finished_instances, generate_series(9, 11) n;
            """);
        var young = Enumerable.Range(0, 50).Select(_ => Guid.CreateVersion7(tomorrow.AddHours(1))).ToArray();
        var request = StoreRows.Trim(tomorrow, tomorrow, tomorrow, tomorrow, limit: 7);
        var trims = new[] { first, second, first, second }.Select(store => Task.Run(() => TrimAllAsync(store), Cancel))
            .ToArray();
        for (var i = 0; i < young.Length; i++)
        {
            var batch = StoreRows.Batch(21 + i, 20);
            batch.Instances.Add(StoreRows.New(
                    StoreRows.Instance(young[i], 1, InstanceState.Completed)
                        with { UpdatedUtc = tomorrow.AddHours(1) }));
            batch.PublishedSequence = 20;
            await lane.FlushAsync(batch, Cancel);
        }

        await Task.WhenAll(trims).WaitAsync(Eventually.Deadline, Cancel);
        await TrimAllAsync(first);

        var left = await first.ListInstancesAsync(new() { Limit = 1_000 }, Cancel);
        Assert.Equal(young.Order(), left.Select(i => i.Id).Order());
        foreach (var table in new[] { "tasks", "children", "instance_history", "idempotency_keys" })
        {
            Assert.Equal(0L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.{table}"));
        }

        Assert.Empty(await first.ReadEventsAsync(0, 0, 100, Cancel));
        Assert.Equal(70L, await ExecuteAsync(options, $"select number from {options.Schema}.lane_ends"));

        async Task TrimAllAsync(PostgresStore store)
        {
            while (await store.TrimAsync(request, Cancel))
            {
            }
        }
    }

    [Fact]
    public async Task Schema_of_a_prerelease_build_is_refused()
    {
        var options = await stores.OptionsAsync(Cancel);
        var schema = options.Schema;
        await ExecuteAsync(
            options,
            $"create schema {schema}; create table {schema}.schema_versions (version integer); insert into {schema}.schema_versions values (15)");

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAndCloseAsync(options));

        AssertHolds(error.Message, schema, "before the first release", "another database");
        Assert.Equal("schema_versions", await ExecuteAsync(
            options,
            $"select string_agg(table_name, ', ') from information_schema.tables where table_schema = '{schema}'"));
    }

    [Fact]
    public async Task Schema_of_a_newer_build_is_refused_with_both_versions()
    {
        var options = await stores.OptionsAsync(Cancel);
        await OpenAndCloseAsync(options);
        await ExecuteAsync(options, $"insert into {options.Schema}.workflow_schema (version) values (999)");

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAndCloseAsync(options));

        AssertHolds(error.Message, options.Schema, "999", "newer build");
    }

    [Fact]
    public async Task Flushes_never_scan_a_table()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using (var session = await EngineSession.StartAsync(
            new PostgresStore(options.Named()), new() { Lanes = 1 }))
        {
            await session.RegisterAsync(Definitions.WaitForGo);
            for (var i = 0; i < 20; i++)
            {
                await session.StartAsync("waitForGo", $$"""{ "id": "k-{{i}}" }""", key: $"k-{i}");
                await session.SignalAsync("go", $"k-{i}");
            }

            await session.RegisterAsync(
                """
                { "name": "parent", "version": 1, "start": "call", "steps": {
                  "call": { "type": "call", "definition": "waitForGo", "input": { "id": "none" },
                    "timeout": "PT1H", "onTimeout": "done", "next": "done" },
                  "done": { "type": "end" } } }
                """);
            await session.RegisterAsync(
                """
                { "name": "review", "version": 1, "start": "check", "steps": {
                  "check": { "type": "task", "next": "done" }, "done": { "type": "end" } } }
                """);
            for (var i = 0; i < 20; i++)
            {
                await session.Engine.CancelAsync(
                    (await session.StartAsync(i % 2 == 0 ? "parent" : "review")).Id, null, Cancel);
            }
        }

        // Building the empty index is one scan, reading what is live when the engine starts another.
        Assert.Equal(50L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.finished_instances"));
        Assert.Equal(10L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.tasks where state = 2"));
        await options.EndedAsync();
        Assert.InRange((long)(await ExecuteAsync(
            options, $"select seq_scan from pg_stat_user_tables where schemaname = '{options.Schema}' and relname = 'instances'"))!, 0, 2);
        Assert.InRange((long)(await ExecuteAsync(
            options, $"select seq_scan from pg_stat_user_tables where schemaname = '{options.Schema}' and relname = 'children'"))!, 0, 1);
    }

    [Fact]
    public async Task Slow_lists_do_not_delay_reads_of_one_instance()
    {
        var options = await stores.OptionsAsync(Cancel) with { ReadConnections = 2 };
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await using var other = new NpgsqlConnection(options.ConnectionString);
        await other.OpenAsync(Cancel);
        await using var transaction = await other.BeginTransactionAsync(Cancel);
        await using var command = new NpgsqlCommand(
            $"lock table {options.Schema}.tasks in access exclusive mode", other);
        await command.ExecuteNonQueryAsync(Cancel);
        Task[] lists =
            [.. Enumerable.Range(0, options.ReadConnections).Select(_ => store.ListTasksAsync(new(), Cancel))];
        await Eventually.BecomesAsync(
            async () => (long)(await ExecuteAsync(
                options, $"select count(*) from pg_locks where relation = '{options.Schema}.tasks'::regclass and not granted"))!,
            waiting => waiting == lists.Length, waiting => $"{waiting} lists that wait");

        Assert.Null(await store.FindInstanceAsync(Guid.NewGuid(), Cancel));
        Assert.Empty(await store.LoadDefinitionsAsync(0, Cancel));

        Assert.All(lists, list => Assert.False(list.IsCompleted));
        await transaction.RollbackAsync(Cancel);
        await Task.WhenAll(lists);
    }

    [Theory]
    [InlineData("25006", FlushFailure.Unavailable)] // The server is a standby by now, or its disk is full.
    [InlineData("55P03", FlushFailure.Unavailable)]
    [InlineData("XX001", FlushFailure.Unavailable)]
    [InlineData("42501", FlushFailure.Unavailable)]
    [InlineData("53100", FlushFailure.Unavailable)]
    [InlineData("40P01", FlushFailure.Conflict)]
    [InlineData("22021", FlushFailure.Rejected)]
    [InlineData("23514", FlushFailure.Rejected)]
    [InlineData("54000", FlushFailure.Rejected)]
    [InlineData("P0001", FlushFailure.Rejected)]
    public async Task Only_errors_of_what_is_written_reject_a_flush(string state, FlushFailure expected)
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await ExecuteAsync(
            options,
            $"""
            create function {options.Schema}.refuse() returns trigger language plpgsql
                as 'begin raise exception ''refused'' using errcode = ''{state}''; end';
            create trigger refuse before insert on {options.Schema}.instances execute function {options.Schema}.refuse()
            """);
        await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        await lane.LoadAsync(Cancel);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(
            StoreRows.Batch(1, b => b.Instances.Add(StoreRows.New(StoreRows.Instance(Guid.NewGuid(), 1)))), Cancel));

        Assert.Equal(expected, error.Failure);
        Assert.Contains(state, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Lists_of_tasks_never_walk_over_all_of_them()
    {
        var options = await stores.OptionsAsync(Cancel);
        await OpenAndCloseAsync(options.Named());
        await ExecuteAsync(
            options,
            $"""
            insert into {options.Schema}.tasks
            select gen_random_uuid(), 0, gen_random_uuid(), 'd', 1, null, 's', case when i % 50 = 0 then 0 else 1 end, 'agent ' || i % 500, array['group ' || i % 300, 'all'], null, now(), now(), null
              from generate_series(1, 20000) i;
            analyze {options.Schema}.tasks
            """);
        var scans = $"select seq_scan from pg_stat_user_tables where schemaname = "
            + $"'{options.Schema}' and relname = 'tasks'";
        await options.EndedAsync();
        var before = await ExecuteAsync(options, scans);
        await using (var store = new PostgresStore(options.Named()))
        {
            Assert.Equal(40, (await store.ListTasksAsync(new() { Assignee = "agent 7" }, Cancel)).Count);
            Assert.Equal(
                40,
                (await store.ListTasksAsync(new() { Assignee = "agent 50", State = TaskState.Open }, Cancel)).Count);
            Assert.InRange((await store.ListTasksAsync(new() { Group = "group 7" }, Cancel)).Count, 66, 67);
            Assert.Empty(await store.ListTasksAsync(new() { Group = "group 7", State = TaskState.Open }, Cancel));
            Assert.Equal(
                100, (await store.ListTasksAsync(new() { Group = "all", State = TaskState.Open }, Cancel)).Count);
            Assert.Equal(100, (await store.ListTasksAsync(new() { State = TaskState.Open }, Cancel)).Count);
            Assert.Equal(100, (await store.ListTasksAsync(new(), Cancel)).Count);
        }

        await options.EndedAsync();
        Assert.Equal(before, await ExecuteAsync(options, scans));
    }

    [Theory]
    [InlineData("Database", "no_such_database", "Create the database")]
    [InlineData("Password", "wrong-secret", "Check Username and Password")]
    [InlineData("Username", "nobody_here", "Check Username and Password")]
    [InlineData("Port", "1", "Check that the server runs")]
    public async Task Wrong_connection_string_is_reported_without_the_password(
        string member, string value, string wayOut)
    {
        var options = await stores.OptionsAsync(Cancel);
        var builder = new NpgsqlConnectionStringBuilder(options.ConnectionString) { [member] = value };

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() =>
            OpenAndCloseAsync(options with { ConnectionString = builder.ConnectionString }));

        AssertHolds(
            error.Message, $"{builder.Host}:{builder.Port}", $"'{builder.Database}'", $"'{builder.Username}'", wayOut);
        for (Exception? inner = error; inner is not null; inner = inner.InnerException)
        {
            Assert.DoesNotContain(builder.Password!, inner.ToString(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("this is no connection string; Password=hush-hush", "workflow", "Host=127.0.0.1")]
    [InlineData("Port=none;Password=hush-hush", "workflow", "Host=127.0.0.1")]
    [InlineData("Port=5432;Password=hush-hush", "workflow", "names no Host")]
    [InlineData("Host=127.0.0.1;Password=hush-hush", "Robert'); drop", "a-z")]
    [InlineData("Host=127.0.0.1;Password=hush-hush", "", "1 to 63")]
    public void Unreadable_settings_are_refused_without_the_password(
        string connectionString, string schema, string wayOut)
    {
        var error = Assert.Throws<ArgumentException>(() =>
            new PostgresStore(new() { ConnectionString = connectionString, Schema = schema }));

        Assert.Contains(wayOut, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush-hush", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Store_names_server_database_and_schema_and_no_password()
    {
        var options = await stores.OptionsAsync(Cancel);
        var builder = new NpgsqlConnectionStringBuilder(options.ConnectionString);

        await using var store = new PostgresStore(options);

        AssertHolds(store.Description, $"{builder.Host}:{builder.Port}", options.Schema);
        Assert.DoesNotContain(builder.Password!, store.Description, StringComparison.Ordinal);
    }

    private static async Task OpenAndCloseAsync(PostgresStoreOptions options)
    {
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
    }

    private static async Task<string> VersionsAsync(PostgresStoreOptions options) =>
        (string)(await ExecuteAsync(
            options, $"select string_agg(version || ' ' || applied_utc, ', ' order by version) from {options.Schema}.workflow_schema"))!;

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
