using Foundation;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Instances;

namespace IntegrationTests.PostgreSql;

/// <summary>
/// What is live beside the instances: it outlives an upgrade, as definitions do, and inboxes are read without it.
/// </summary>
[Trait("Category", "Integration")]
public sealed class PostgresPendingTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    /// <summary>The first version with one table for all of it.</summary>
    private const int Version = 12;

    private const string Early = "it's \"ü\"\n";
    private const int Subscribers = 6;

    [Fact]
    public async Task Upgrade_from_the_version_before_delivers_every_signal_subscription_and_message()
    {
        var options = await stores.OptionsAsync(Cancel);
        var waiting = new List<Guid>();
        await using (var engine = await EngineSession.StartAsync(new PostgresStore(options), new() { Lanes = 3 })
            .WithAsync(Definitions.WaitForGo))
        {
            for (var i = 0; i < Subscribers; i++)
            {
                waiting.Add((await engine.StartAsync("waitForGo", $$"""{ "id": "far{{i}}" }""", $"elsewhere{i}")).Id);
            }

            await engine.IdleAsync();
        }

        Assert.InRange(await MakeFormerAsync(options, waiting[0]), 2, Subscribers);

        await using var upgraded = await EngineSession.StartAsync(new PostgresStore(options), new() { Lanes = 3 });
        foreach (var (key, payload) in new[] { (Early, """{"n":1}"""), ("late", "2"), ("sent", "3") })
        {
            var started = await upgraded.StartAsync("waitForGo", JsonSerializer.Serialize(new { id = key }), key);
            Assert.Equal(payload, await upgraded.OutputAsync(started.Id));
        }

        for (var i = 0; i < Subscribers; i++)
        {
            await upgraded.SignalAsync("go", $"far{i}", $"{i}");
            Assert.Equal($"{i}", await upgraded.OutputAsync(waiting[i]));
        }

        // Nothing took what was in the inbox of the first instance.
        var expired = await upgraded.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        Assert.Equal(("other", waiting[0]), (expired[0].Name, expired[0].InstanceId));
        await upgraded.IdleAsync();
        Assert.Equal(0L, await ExecuteAsync(options, $"select count(*) from {options.Schema}.pending"));
        Assert.Equal(0L, await ExecuteAsync(options, "select count(*) from pg_tables where tablename in ('signals', 'subscriptions', 'messages') "
            + $"and schemaname = '{options.Schema}'"));
    }

    [Fact]
    public async Task Definitions_of_an_earlier_build_are_numbered_in_the_order_in_which_they_came_also_while_it_still_runs()
    {
        const int Numbered = 14;
        var options = await stores.OptionsAsync(Cancel);
        await using (var first = new PostgresStore(options))
        {
            await first.OpenAsync(Cancel);
        }

        await ExecuteAsync(
            options,
            $"""
            set search_path to {options.Schema};
            drop trigger number_definition on definitions;
            drop function number_definition;
            alter table definitions drop column number;
            delete from schema_versions where version >= {Numbered};
            {Inserted("b", 3, "epoch")}; {Inserted("b", 1, "epoch")}; {Inserted("a", 1, "epoch")}; {Inserted("c", 1, "1969-12-31")}
            """);

        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await ExecuteAsync(options, $"set search_path to {options.Schema}; {Inserted("late", 1, "epoch")}");
        await store.AddDefinitionAsync(new("new", 1, "hash", "{}", StoreRows.Now), Cancel);

        Assert.Equal(
            "c 1 1, a 1 2, b 1 3, b 3 4, late 1 5, new 1 6",
            await ExecuteAsync(
                options, $"select string_agg(concat_ws(' ', name, version, number), ', ' order by number) from {options.Schema}.definitions"));

        static string Inserted(string name, int version, string at) =>
            $"insert into definitions (name, version, content_hash, body, registered_utc) values ('{name}', {version}, 'hash', '', '{at}')";
    }

    [Fact]
    public async Task Inboxes_are_read_without_a_look_at_the_signals_that_wait()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using (var store = new PostgresStore(options.Named()))
        {
            await store.OpenAsync(Cancel);
            await ExecuteAsync(
                options,
                $$"""insert into {{options.Schema}}.pending select gen_random_uuid(), i % 64, 0, i, '{}' from generate_series(1, 20000) i""");
            var message = StoreRows.Message(Guid.CreateVersion7(StoreRows.Now), position: 30_000, partition: 1);
            await store.Cluster!.PutAsync([new(message)], Cancel);
            for (var reading = 0; reading < 5; reading++)
            {
                Assert.Equal([message], await store.Cluster.ReadInboxAsync([new(1, 2)], 10, Cancel));
            }
        }

        await options.EndedAsync();
        Assert.InRange(
            (long)(await ExecuteAsync(
                options,
                $"select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where schemaname = '{options.Schema}' and relname = 'pending'"))!,
            0, 5);
    }

    /// <summary>
    /// Puts a schema of the version before in place of what an engine has left: its instances, and one row of every kind that waits.
    /// </summary>
    /// <returns>How many subscriptions there are.</returns>
    private static async Task<long> MakeFormerAsync(PostgresStoreOptions options, Guid instance)
    {
        var (schema, filled) = (options.Schema, options.Schema + "_filled");
        var files = SchemaFile.Of(typeof(PostgresStore).Assembly).Where(file => file.Version < Version).Select(file => file.Text);
        await ExecuteAsync(options, $"alter schema {schema} rename to {filled}");
        await ExecuteAsync(
            options,
            $$"""
            create schema {{schema}};
            set search_path to {{schema}};
            create table schema_versions (version integer primary key, applied_utc timestamptz not null default now());
            insert into schema_versions (version) select generate_series(1, {{Version - 1}});
            {{string.Join('\n', files)}}
            insert into definitions select name, version, content_hash, body, registered_utc from {{filled}}.definitions;
            insert into instances select * from {{filled}}.instances;
            insert into subscriptions
            select id, partition, body::json ->> 'n', body::json ->> 'y', (body::json ->> 'i')::uuid, position from {{filled}}.pending where kind = 1;
            insert into signals values
                (gen_random_uuid(), {{Partitioning.OfKey(Early)}}, 'go', '{{Early.Replace("'", "''", StringComparison.Ordinal)}}', null, '{"n":1}', 1, now(),
                 null, now() + interval '1 hour'),
                (gen_random_uuid(), {{Partitioning.OfKey("late")}}, 'go', 'late', null, '2', 2, now(), now() - interval '1 second', now() + interval '1 hour'),
                (gen_random_uuid(), {{Partitioning.OfInstance(instance)}}, 'other', null, '{{instance}}', null, 3, now(),
                 null, now() + interval '1 hour');
            insert into messages values
                (gen_random_uuid(), {{Partitioning.OfKey("sent")}}, 'signal', '{"name":"go","correlationKey":"sent","value":"3"}', 4);
            """);
        return (long)(await ExecuteAsync(options, $"select count(*) from {schema}.subscriptions"))!;
    }

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
