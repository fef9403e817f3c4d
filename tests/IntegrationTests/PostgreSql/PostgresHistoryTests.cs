using System.Security.Cryptography;
using Workflow.Abstractions.Stores;

namespace IntegrationTests.PostgreSql;

/// <summary>What history and retention cost the server.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresHistoryTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    /// <summary>The first lines alone are too long for the row itself.</summary>
    [Fact]
    public async Task No_commit_writes_the_history_of_those_before_it_again()
    {
        const int Commits = 200;
        var options = await stores.OptionsAsync(Cancel);
        var id = Guid.CreateVersion7(StoreRows.Now);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
            await lane.LoadAsync(Cancel);
            await lane.FlushAsync(StoreRows.Batch(1, b => b.Instances.Add(StoreRows.New(Row(1, 20_000)))), Cancel);
            for (var revision = 2; revision <= Commits; revision++)
            {
                await lane.FlushAsync(
                    StoreRows.Batch(revision, b => b.Instances.Add(StoreRows.Live(Row(revision, 300)))), Cancel);
            }

            Assert.Equal(2 * (20_000 + ((Commits - 1) * 300)), (await store.FindHistoryAsync(id, Cancel))!.Length);
        }

        // Text that does not fit into a row is stored in pieces of some 2,000 bytes.
        await options.EndedAsync();
        Assert.InRange(
            (long)(await ExecuteAsync(
                options,
                $"select n_tup_ins from pg_stat_all_tables where relid = (select reltoastrelid from pg_class where oid = '{options.Schema}.instances'::regclass)"))!,
            10, 200);

        InstanceRow Row(int revision, int bytes) => StoreRows.Instance(id, revision) with
        {
            History = Convert.ToHexString(RandomNumberGenerator.GetBytes(bytes)),
        };
    }

    [Fact]
    public async Task Retention_reads_no_history_of_live_instances()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            var (live, over) = (Guid.CreateVersion7(StoreRows.Now), Guid.CreateVersion7(StoreRows.Now));
            await ExecuteAsync(
                options,
                $"""
                insert into {options.Schema}.instances select '{live}', 0, 'd', 1, 20000, 1, null, '', '', '{StoreRows.Now:O}', '{StoreRows.Now:O}';
                insert into {options.Schema}.finished_instances select '{over}', 0, 'd', 1, 50, 3, null, '', '', '{StoreRows.Now:O}', '{StoreRows.Now:O}';
                insert into {options.Schema}.instance_history select '{live}', i, 'line' from generate_series(9, 20000) i;
                insert into {options.Schema}.instance_history select '{over}', i, 'line' from generate_series(9, 50) i;
                """);
            var tomorrow = StoreRows.Now.AddDays(1);
            while (await store.TrimAsync(StoreRows.Trim(tomorrow, tomorrow, tomorrow, tomorrow, limit: 10), Cancel))
            {
            }
        }

        Assert.Equal(0L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.finished_instances"));
        Assert.Equal(
            20_000L - 8, await ExecuteAsync(options, $"select count(*) from {options.Schema}.instance_history"));
        await options.EndedAsync();
        Assert.InRange(
            (decimal)(await ExecuteAsync(
                options,
                $"select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = '{options.Schema}' and relname = 'instance_history'"))!,
            0, 1_000);
    }

    /// <summary>
    /// The query reads a table without an index, and its settings make that look expensive: compiled, it takes 90 ms.
    /// </summary>
    [Fact]
    public async Task Server_does_not_compile_what_removes_old_replies()
    {
        var options = await stores.OptionsAsync(Cancel);
        const string Counted =
            "select attname::text from pg_attribute where attrelid = to_regclass('pg_stat_statements') "
                + "and attname = 'jit_functions'";
        if (await ExecuteAsync(options, Counted) is not string)
        {
            Assert.Skip(
                "This server does not count what it compiles: pg_stat_statements of PostgreSQL 15 or newer does.");
        }

        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await store.TrimAsync(StoreRows.Trim(StoreRows.Now, StoreRows.Now, StoreRows.Now), Cancel);

        Assert.Equal(0L, await ExecuteAsync(
            options, "select sum(jit_functions)::bigint from pg_stat_statements where query like '%from "
                + "replies where created_utc%'"));
    }

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
