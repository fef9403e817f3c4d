using Workflow.Abstractions.Notifications;

namespace IntegrationTests.PostgreSql;

[Trait("Category", "Integration")]
public sealed class PostgresNotifierTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    [Fact]
    public async Task Notification_wakes_the_lane_of_the_other_node()
    {
        var options = await stores.OptionsAsync(Cancel);
        var (one, other) = (new ConcurrentQueue<int>(), new ConcurrentQueue<int>());
        await using var sender = await ListeningAsync(options, one);
        await using var receiver = await ListeningAsync(options, other);

        sender.Send(3);
        sender.Send(63);

        await Eventually.HoldsAsync(() => other.Count >= 2, "two notifications");
        Assert.Equal([3, 63], other.Order());
        Assert.Empty(one);
        await Eventually.HoldsAsync(() => sender.Counts.Sent == 2, "both to be counted as sent");
        Assert.Equal(0, sender.Counts.Received);
        Assert.Equal(2, receiver.Counts.Received);
    }

    [Fact]
    public async Task Lost_connections_are_made_again_and_wake_every_lane()
    {
        var options = await stores.OptionsAsync(Cancel);
        var (one, other) = (new ConcurrentQueue<int>(), new ConcurrentQueue<int>());
        await using var sender = await ListeningAsync(options, one);
        await using var receiver = await ListeningAsync(options, other);
        sender.Send(1);
        await Eventually.HoldsAsync(() => other.Contains(1), "a notification");

        await using (var connection = new NpgsqlConnection(options.ConnectionString))
        {
            await connection.OpenAsync(Cancel);
            await using var end = new NpgsqlCommand(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
                    + "and pid <> pg_backend_pid()",
                connection);
            await end.ExecuteNonQueryAsync(Cancel);
        }

        await Eventually.HoldsAsync(() => other.Contains(INotifier.EveryLane), "every lane to be woken");
        await Eventually.HoldsAsync(
            () =>
            {
                sender.Send(2);
                return other.Contains(2);
            },
            "a notification over new connections");
        Assert.Null(receiver.Trouble);
    }

    [Fact]
    public async Task Foreign_text_in_the_channel_wakes_no_lane()
    {
        var options = await stores.OptionsAsync(Cancel);
        var woken = new ConcurrentQueue<int>();
        await using var receiver = await ListeningAsync(options, woken);
        await using var sender = await ListeningAsync(options, []);
        await using var connection = new NpgsqlConnection(options.ConnectionString);
        await connection.OpenAsync(Cancel);
        foreach (var text in new[] { "", "hello", new string('A', 400), Convert.ToBase64String(new byte[23]) })
        {
            await using var notify =
                new NpgsqlCommand($"select pg_notify('workflow_wake_{options.Schema}', $1)", connection);
            notify.Parameters.Add(new NpgsqlParameter<string> { TypedValue = text });
            await notify.ExecuteNonQueryAsync(Cancel);
        }

        sender.Send(5);

        await Eventually.HoldsAsync(() => woken.Contains(5), "the notification");
        Assert.Equal([5], woken);
    }

    private static async Task<PostgresNotifier> ListeningAsync(PostgresStoreOptions options, ConcurrentQueue<int> woken)
    {
        var notifier = new PostgresNotifier(options);
        await notifier.ListenAsync(woken.Enqueue, Cancel);
        return notifier;
    }
}
