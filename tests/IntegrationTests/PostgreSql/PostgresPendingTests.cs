namespace IntegrationTests.PostgreSql;

/// <summary>Inboxes beside what waits for long.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresPendingTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
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

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
