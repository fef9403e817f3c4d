using Workflow.Abstractions.Stores;

namespace IntegrationTests.PostgreSql;

/// <summary>Rows read by the server's plans.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresPlanTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    /// <summary>Removes everything older than the rows of the tests.</summary>
    private static readonly TrimRequest OlderRows = StoreRows.Trim(StoreRows.Now, StoreRows.Now, StoreRows.Now);

    /// <summary>
    /// A node that starts while few instances live plans for few: to read a whole index beside the rows of the flush
    /// looks good then.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Flush_reads_the_rows_that_it_changes_however_many_are_stored(int together)
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);

        // Lower ids than those of the flushes: who reads from one end passes them. New statistics would help, and come
        // when they come.
        var insert = $"""
            insert into {options.Schema}.instances
            select lpad(to_hex(i), 32, '0')::uuid, 0, 'definition', 1, 1, 1, null, repeat('b', 300), '', now(), now() from generate_series
            """;
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options,
                $"""
                alter table {options.Schema}.instances set (autovacuum_enabled = false);
                {insert}(1, 50) i;
                analyze {options.Schema}.instances;
                delete from {options.Schema}.instances
                """);
            await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
            await lane.LoadAsync(Cancel);
            var number = 0L;
            await FlushAsync();
            await ExecuteAsync(options, $"{insert}(1, {Rows}) i");
            await FlushAsync();

            async Task FlushAsync()
            {
                // A statement is prepared, and planned for good, once it was used a few times.
                for (var i = 0; i < 10; i++)
                {
                    var ids = Enumerable.Range(0, together).Select(_ => Guid.CreateVersion7(StoreRows.Now)).ToList();
                    await WriteAsync(1, InstanceState.Waiting, StoreRows.New);
                    await WriteAsync(2, InstanceState.Waiting, StoreRows.Live);
                    await WriteAsync(3, InstanceState.Completed, StoreRows.Live);

                    Task WriteAsync(long revision, InstanceState state, Func<InstanceRow, InstanceWrite> write) =>
                        lane.FlushAsync(
                        StoreRows.Batch(++number, batch => batch.Instances.AddRange(
                            ids.Select(id => write(StoreRows.Instance(id, revision, state))))),
                        Cancel);
                }
            }
        }

        Assert.InRange(await ReadsAsync(options, "instances"), 1, Rows / 10);
    }

    [Fact]
    public async Task Inbox_reads_only_the_keys_it_adds()
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options, $"alter table {options.Schema}.idempotency_keys set (autovacuum_enabled = false)");
            for (var i = 0; i < 10; i++)
            {
                await PutAsync(store);
            }

            await ExecuteAsync(
                options,
                $"insert into {options.Schema}.idempotency_keys select 'a ' || i, 'hash', gen_random_uuid(), now() from generate_series(1, {Rows}) i");
            for (var i = 0; i < 5; i++)
            {
                await PutAsync(store);
            }
        }

        Assert.InRange(await ReadsAsync(options, "idempotency_keys"), 1, Rows / 10);

        static async Task PutAsync(PostgresStore store)
        {
            var id = Guid.CreateVersion7(StoreRows.Now);
            var put = await store.Cluster!.PutAsync(
                [new(new(id, 0, PendingKind.Message, 1, """{"signal":{}}"""),
                    new($"z {id}", "hash", id, StoreRows.Now))], Cancel);
            Assert.Equal(id, Assert.Single(put).ResultId);
        }
    }

    /// <summary>Planned while there are few, as everything that a connection repeats is.</summary>
    [Fact]
    public async Task Renewal_reads_only_new_definitions()
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);
        var node = new NodeIdentity(Guid.CreateVersion7(), "node");
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await store.Cluster!.JoinAsync(node, 1, TimeSpan.FromMinutes(1), Cancel);
            await LookAsync(0);
            await ExecuteAsync(
                options,
                $"""
                alter table {options.Schema}.definitions set (autovacuum_enabled = false);
                alter table {options.Schema}.definitions disable trigger user;
                insert into {options.Schema}.definitions select 'd' || i, 1, 'hash', repeat('b', 300), now(), i from generate_series(1, {Rows}) i;
                alter table {options.Schema}.definitions enable trigger user
                """);
            await LookAsync(Rows);
            await store.AddDefinitionAsync(new("new", 1, "hash", "{}", StoreRows.Now), Cancel);
            await LookAsync(Rows + 1);

            async Task LookAsync(int expected)
            {
                for (var i = 0; i < 10; i++)
                {
                    Assert.Equal(expected,
                        (await store.Cluster!.RenewAsync(node.Id, TimeSpan.FromMinutes(1), Cancel)).LastDefinition);
                    Assert.Equal(expected == 0 ? 0 : 1, (await store.LoadDefinitionsAsync(expected - 1, Cancel)).Count);
                }
            }
        }

        Assert.InRange(await ReadsAsync(options, "definitions"), 1, 100);
    }

    /// <summary>Every statement of dormancy is planned while nothing is dormant.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Dormancy_reads_only_the_rows_that_it_names(int together)
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options,
                string.Concat(DormancyTables.Select(
                    table => $"alter table {options.Schema}.{table} set (autovacuum_enabled = false);")));
            await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
            await lane.LoadAsync(Cancel);
            var number = 0L;
            await MoveAndFindAsync();
            await ExecuteAsync(
                options,
                $"""
                {Dormant(options, Rows)};
                insert into {options.Schema}.dormant_waits
                select i, lpad(to_hex(i), 32, '0')::uuid, lpad(to_hex(i), 32, '0')::uuid from generate_series(1, {Rows}) i;
                insert into {options.Schema}.dormant_waits
                select 7, lpad(to_hex(i), 32, '0')::uuid, gen_random_uuid() from generate_series({Rows + 1}, {2 * Rows}) i;
                insert into {options.Schema}.tasks
                select lpad(to_hex(i), 32, '0')::uuid, 0, lpad(to_hex(i), 32, '0')::uuid, 'definition', 1, null, 'step', 0, null, array[]::text[], null,
                       now(), now(), null
                  from generate_series(1, {Rows}) i
                """);
            await MoveAndFindAsync();

            async Task MoveAndFindAsync()
            {
                var dormant = lane.Dormant;
                for (var i = 0; i < 10; i++)
                {
                    var ids = Enumerable.Range(0, together).Select(_ => Guid.CreateVersion7(StoreRows.Now)).ToList();
                    DormantWait[] waits = [.. ids.Select(id => new DormantWait(7, id))];
                    await FlushAsync(batch =>
                    {
                        batch.Instances.AddRange(ids.Select(id => StoreRows.New(StoreRows.Instance(id, 1))));
                        batch.Tasks.AddRange(ids.Select(id => StoreRows.Task(id, id)));
                    });
                    await FlushAsync(batch => batch.Dormant.AddRange(
                        ids.Select((id, place) => new DormantWrite(id, 1, StoreRows.Now, [waits[place]]))));
                    Assert.Equal(together, (await dormant.FindAsync(new() { Instances = ids }, Cancel)).Count);
                    Assert.Equal(together, (await dormant.FindAsync(new() { Tasks = ids }, Cancel)).Count);
                    Assert.Empty(await dormant.FindAsync(new() { Slots = [-i - 1] }, Cancel));
                    Assert.InRange((await dormant.ReadDueAsync(null, StoreRows.Now, 5, Cancel)).Count, 1, 5);
                    Assert.InRange((await dormant.ReadSlotsAsync(0, 6, 5, Cancel)).Count, 1, 5);
                    await FlushAsync(batch =>
                    {
                        batch.Instances.AddRange(ids.Select((id, place) => new InstanceWrite(
                            InstanceOrigin.Dormant,
                            StoreRows.Instance(id, 2, i % 2 == 0 ? InstanceState.Waiting : InstanceState.Completed))));
                        batch.DormantWaitsRemoved.AddRange(waits);
                    });
                }

                Task FlushAsync(Action<FlushBatch> add) => lane.FlushAsync(StoreRows.Batch(++number, add), Cancel);
            }
        }

        foreach (var table in DormancyTables)
        {
            Assert.InRange(await ReadsAsync(options, table), 1, Rows / 10);
        }
    }

    [Fact]
    public async Task Lists_read_a_page_of_the_dormant_instances()
    {
        const int Rows = 100_000;
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options,
                $"""
                alter table {options.Schema}.dormant_instances set (autovacuum_enabled = false);
                {Dormant(options, Rows)};
                analyze {options.Schema}.dormant_instances
                """);
            Workflow.Abstractions.InstanceQuery[] lists =
            [
                new(), new() { NewestFirst = true }, new() { After = new Guid("00000000-0000-0000-0000-000000005000") },
                new() { State = InstanceState.Waiting }, new() { State = InstanceState.Suspended },
                new() { State = InstanceState.Running }, new() { State = InstanceState.Completed },
                new() { CorrelationKey = "key-77" }, new() { CorrelationKey = "nobody" },
            ];
            int[] found = [50, 50, 50, 50, 0, 0, 0, 1, 0];
            foreach (var (place, list) in lists.Index())
            {
                Assert.Equal(found[place], (await store.ListInstancesAsync(list with { Limit = 50 }, Cancel)).Count);
            }
        }

        // A list by key looks at the next 1,000 first.
        Assert.InRange(await ReadsAsync(options, "dormant_instances"), 1, 4_000);
    }

    /// <summary>
    /// Each portion of twenty could read all that are left, and what those before it removed as long as a transaction
    /// is open.
    /// </summary>
    [Fact]
    public async Task Retention_reads_no_more_than_it_removes()
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
            await lane.LoadAsync(Cancel);

            // Planned while the tables are all but empty, as in a service that has just started.
            await store.TrimAsync(OlderRows, Cancel);
            await ExecuteAsync(
                options,
                $"""
                insert into {options.Schema}.batches select 0, i, i, i from generate_series(1, {Rows + 1}) i;
                insert into {options.Schema}.event_pages select 0, i, i, '[]', 'epoch' from generate_series(1, {Rows}) i
                """);
            await using var open = new NpgsqlConnection(options.ConnectionString);
            await open.OpenAsync(Cancel);
            await using var transaction =
                await open.BeginTransactionAsync(System.Data.IsolationLevel.RepeatableRead, Cancel);
            await using var look = new NpgsqlCommand("select 1", open);
            await look.ExecuteScalarAsync(Cancel);

            while (await store.TrimAsync(OlderRows, Cancel))
            {
            }
        }

        foreach (var (table, left) in new[] { ("batches", 1L), ("event_pages", 0L) })
        {
            Assert.Equal(left, await ExecuteAsync(options, $"select count(*) from {options.Schema}.{table}"));
            Assert.InRange(await ReadsAsync(options, table), Rows, 4 * Rows);
        }
    }

    /// <summary>Events of a day stay, and each portion of retention looks for old ones.</summary>
    [Fact]
    public async Task Retention_does_not_read_the_events_that_stay()
    {
        const int Rows = 20_000;
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options,
                $"""
                insert into {options.Schema}.lanes (lane, epoch) values (0, 1);
                insert into {options.Schema}.batches select 0, 1, {Rows}, {Rows};
                insert into {options.Schema}.event_pages select 0, i, i, '[]', case when i < 3 then 'epoch' else now() end from generate_series(1, {Rows}) i
                """);
            for (var i = 0; i < 10; i++)
            {
                await store.TrimAsync(OlderRows, Cancel);
            }
        }

        Assert.InRange(await ReadsAsync(options, "event_pages"), 1, 100);
        Assert.Equal(Rows - 2L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.event_pages"));
    }

    /// <summary>Upkeep forces no write, so that a crash of the server may bring rows back that it has passed.</summary>
    [Fact]
    public async Task Rows_revived_by_a_server_crash_are_removed_at_opening()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options.Named());
        await store.OpenAsync(Cancel);
        var assignment = new LaneAssignment(0, 1);
        await using (var lane = await store.OpenLaneAsync(assignment, Cancel))
        {
            await lane.LoadAsync(Cancel);
            await ExecuteAsync(
                options,
                $"""
                insert into {options.Schema}.batches select 0, i, i, i from generate_series(1, 9) i;
                insert into {options.Schema}.event_pages values (0, 3, 3, '[]', 'epoch')
                """);
            await store.TrimAsync(OlderRows, Cancel);
        }

        await ExecuteAsync(
            options,
            $"""
            insert into {options.Schema}.batches values (0, 3, 3, 3);
            insert into {options.Schema}.event_pages values (0, 3, 3, '[]', 'epoch')
            """);
        await using var again = await store.OpenLaneAsync(assignment, Cancel);
        await store.TrimAsync(OlderRows, Cancel);

        Assert.Equal(1L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.batches"));
        Assert.Equal(0L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.event_pages"));
    }

    private static readonly string[] DormancyTables = ["dormant_instances", "dormant_waits", "instances", "tasks"];

    private static string Dormant(PostgresStoreOptions options, int rows) => $"""
        insert into {options.Schema}.dormant_instances
        select lpad(to_hex(i), 32, '0')::uuid, 0, 'definition', 1, 1, 1, 'key-' || i, repeat('b', 300), '', now(), now(), timestamptz '2026-01-01' + i * interval '1 second'
          from generate_series(1, {rows}) i
        """;

    /// <summary>Rows of a table that were read by sessions that are closed.</summary>
    private static async Task<decimal> ReadsAsync(PostgresStoreOptions options, string table)
    {
        await options.EndedAsync();
        return (decimal)(await ExecuteAsync(
            options,
            $"""
            select t.seq_tup_read + sum(i.idx_tup_read)
              from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
             where t.schemaname = '{options.Schema}' and t.relname = '{table}' group by t.seq_tup_read
            """))!;
    }

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
