using Microsoft.Extensions.Logging;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.Notifications.Redis;

namespace IntegrationTests.Redis;

[Trait("Category", "Integration")]
public sealed class RedisNotifierTests(BackendFixture fixture) : RedisTests(fixture)
{
    private static readonly TimeSpan PublishTimeout = TimeSpan.FromSeconds(1);

    /// <summary>Half of what 64 calls would take that wait for Redis.</summary>
    private static readonly TimeSpan AtOnce = 32 * PublishTimeout;

    /// <summary>Longer than the driver waits for an answer by itself: 1 s, and it looks once a second.</summary>
    private static readonly TimeSpan LongPause = TimeSpan.FromSeconds(2.5);

    [Fact]
    public async Task Notification_wakes_the_lane_of_the_other_node()
    {
        var server = await SharedAsync();
        await using var one = await ConnectedAsync(server.ConnectionString);
        await using var other = await ConnectedAsync(server.ConnectionString, one.Cluster);

        one.Notifier.Send(3);
        one.Notifier.Send(63);

        await Eventually.HoldsAsync(() => other.Lanes.Count() >= 2, "two notifications");
        Assert.Equal([3, 63], other.Lanes.Order());
        Assert.Empty(one.Lanes);
        Assert.Equal(2, other.Notifier.Counts.Received);
        Assert.Equal(0, one.Notifier.Counts.Received);
        await Eventually.HoldsAsync(() => one.Notifier.Counts.Sent == 2, "both to be counted as sent");
    }

    [Fact]
    public async Task Notifications_that_come_while_one_is_under_way_become_one()
    {
        await using var server = await StartAsync();
        await using var one = await ConnectedAsync(server.ConnectionString);
        await using var other = await ConnectedAsync(server.ConnectionString, one.Cluster);
        await using var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel);
        const int Asked = 10_000;
        await server.Host.PauseAsync(Cancel);
        for (var i = 0; i < Asked; i++)
        {
            one.Notifier.Send(i % 4);
        }

        // The one that is under way outlasts the pause: so says its timeout.
        await Task.Delay(LongPause, Cancel);
        await server.Host.ContinueAsync(Cancel);
        await Eventually.HoldsAsync(() => Sum(one.Notifier.Counts) == Asked, "every notification to be accounted for");
        Assert.Equal(0, one.Notifier.Counts.Lost);
        await Eventually.HoldsAsync(() => other.Lanes.Distinct().Count() == 4, "each of four lanes to be woken");

        Assert.InRange(one.Notifier.Counts.Coalesced, Asked - 40, Asked - 4);
        var publishes = (await session.InfoAsync("commandstats", Cancel))["cmdstat_publish"];
        Assert.InRange(
            int.Parse(publishes.Split(',')[0].Split('=')[1], System.Globalization.CultureInfo.InvariantCulture), 1, 10);
    }

    [Fact]
    public async Task Server_away_at_start_wakes_every_lane_when_it_comes()
    {
        await using var server = await StartAsync();
        await server.Host.KillAsync(Cancel);
        var start = Stopwatch.GetTimestamp();
        await using var node = await Node.ListeningAsync(server.ConnectionString);
        node.Notifier.Send(1);
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromMinutes(1));
        await Eventually.HoldsAsync(() => node.Notifier.Counts.Lost == 1, "the notification to be counted as lost");

        await server.Host.StartAgainAsync(Cancel);

        await Eventually.HoldsAsync(() => node.Woken.Contains(INotifier.EveryLane), "every lane to be woken");
        await SendUntilAsync(node, 1, () => node.Notifier.Counts.Sent > 0, "a notification to be sent");
        Assert.Contains(node.Logged, line => line.Contains("is away", StringComparison.Ordinal));
        Assert.Contains(node.Logged, line => line.Contains("is back", StringComparison.Ordinal));
        Assert.DoesNotContain(
            node.Logged, line => line.Contains(server.ConnectionString.Split('=')[1], StringComparison.Ordinal));
    }

    [Fact]
    public async Task Repeatedly_killed_server_loses_nothing()
    {
        await using var server = await StartAsync();
        await using var one = await Node.ListeningAsync(server.ConnectionString);
        await using var other = await Node.ListeningAsync(server.ConnectionString, one.Cluster);
        const int Outages = 3;
        for (var outage = 1; outage <= Outages; outage++)
        {
            await server.Host.KillAsync(Cancel);
            var lost = one.Notifier.Counts.Lost;
            await SendUntilAsync(one, 5, () => one.Notifier.Counts.Lost > lost, "notifications to be counted as lost");
            await server.Host.StartAgainAsync(Cancel);
            await Eventually.HoldsAsync(
                () => Back(one, outage) && Back(other, outage), "both nodes to be notified of what they missed");
            var received = other.Notifier.Counts.Received;
            await SendUntilAsync(one, 6, () => other.Notifier.Counts.Received > received, "a notification to arrive");
        }

        await SendUntilAsync(one, 6, () => other.Woken.Contains(6), "its lane to be woken");

        static bool Back(Node node, int outages) => node.Woken.Count(lane => lane == INotifier.EveryLane) >= outages;
    }

    [Fact]
    public async Task Hung_server_blocks_no_sender()
    {
        await using var server = await StartAsync();
        await using var node = await ConnectedAsync(server.ConnectionString, publishTimeout: PublishTimeout);
        await server.Host.PauseAsync(Cancel);
        var start = Stopwatch.GetTimestamp();

        for (var lane = 0; lane < 64; lane++)
        {
            node.Notifier.Send(lane);
        }

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, AtOnce);
        await Eventually.HoldsAsync(() => node.Notifier.Counts.Lost > 0, "the notification under way to be given up");
        await server.Host.ContinueAsync(Cancel);
        await SendUntilAsync(node, 0, () => node.Notifier.Counts.Sent > 0, "a notification to be sent");
    }

    [Fact]
    public async Task Wrong_password_is_reported_in_the_log_and_fails_nothing()
    {
        await using var server = await StartAsync();
        await using var node = await Node.ListeningAsync(
            server.ConnectionString.Split(',')[0] + ",password=open-sesame-4711");

        node.Notifier.Send(0);

        await Eventually.HoldsAsync(() => node.Notifier.Counts.Lost == 1, "the notification to be counted as lost");
        await Eventually.BecomesAsync(
            () => Task.FromResult(string.Join(Environment.NewLine, node.Logged)),
            logged => logged.Contains("password", StringComparison.OrdinalIgnoreCase),
            logged => $"the password to be named as what is wrong; logged was: {logged}");
        Assert.DoesNotContain(node.Logged, line => line.Contains("open-sesame-4711", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Foreign_messages_are_ignored_and_reported_once()
    {
        var server = await SharedAsync();
        await using var node = await ConnectedAsync(server.ConnectionString);
        await using var other = await ConnectedAsync(server.ConnectionString, node.Cluster);
        await using var session = await RedisSession.OpenAsync(server.ConnectionString, Cancel);

        await session.ExecuteAsync(Cancel, "PUBLISH", $"workflow:{node.Cluster}:wake", "hello");
        await session.ExecuteAsync(Cancel, "PUBLISH", $"workflow:{node.Cluster}:wake", "hello");
        other.Notifier.Send(2);

        await Eventually.HoldsAsync(() => node.Lanes.Any(), "the notification behind them");
        Assert.Equal([2], node.Lanes);
        await Eventually.HoldsAsync(() => node.Logged.Any(IsReport), "the report of what is no notification");
        Assert.Single(node.Logged, IsReport);

        static bool IsReport(string line) => line.Contains("no notifications", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disposed_notifications_take_no_more_and_account_for_all()
    {
        await using var server = await StartAsync();
        var node = await Node.ListeningAsync(server.ConnectionString);
        await server.Host.PauseAsync(Cancel);
        node.Notifier.Send(1);
        node.Notifier.Send(2);

        await node.DisposeAsync();
        node.Notifier.Send(3);

        Assert.Equal(3, Sum(node.Notifier.Counts));
    }

    /// <summary>
    /// Waits for the connection, because a node also listens to a server that it has not reached yet.
    /// </summary>
    /// <param name="publishTimeout">By default longer than any notification takes there.</param>
    private static async Task<Node> ConnectedAsync(
        string connectionString, string? cluster = null, TimeSpan? publishTimeout = null)
    {
        var node = await Node.ListeningAsync(connectionString, cluster, publishTimeout ?? TimeSpan.FromMinutes(5));
        await Eventually.HoldsAsync(
            () => node.Logged.Any(line =>
                line.StartsWith("Notifications go over", StringComparison.Ordinal)
                    || line.Contains(" is back;", StringComparison.Ordinal)),
            "the node to be connected");
        return node;
    }

    /// <summary>Sends again and again: on a busy machine one may be late for its timeout.</summary>
    private static Task SendUntilAsync(Node node, int lane, Func<bool> condition, string what) => Eventually.HoldsAsync(
        () =>
        {
            node.Notifier.Send(lane);
            return condition();
        },
        what);

    private static long Sum(NotificationCounts counts) => counts.Sent + counts.Coalesced + counts.Lost;

    private sealed class Node : IAsyncDisposable
    {
        private Node(string connectionString, string cluster, TimeSpan publishTimeout)
        {
            Cluster = cluster;
            Notifier = new RedisNotifier(
                new RedisNotifierOptions
                {
                    ConnectionString = connectionString, Cluster = cluster, PublishTimeout = publishTimeout,
                },
                TimeProvider.System, LoggerFactory.Create(logging => logging.AddProvider(new Lines(Logged))));
        }

        public string Cluster { get; }
        public RedisNotifier Notifier { get; }
        public ConcurrentQueue<int> Woken { get; } = new();

        /// <summary>Those woken by a notification, not by a reconnection.</summary>
        public IEnumerable<int> Lanes => Woken.Where(lane => lane != INotifier.EveryLane);

        public ConcurrentQueue<string> Logged { get; } = new();

        public static async Task<Node> ListeningAsync(
            string connectionString, string? cluster = null, TimeSpan? publishTimeout = null)
        {
            var node = new Node(
                connectionString, cluster ?? $"test-{Guid.NewGuid():N}", publishTimeout ?? PublishTimeout);
            await node.Notifier.ListenAsync(node.Woken.Enqueue, Cancel);
            return node;
        }

        public ValueTask DisposeAsync() => Notifier.DisposeAsync();
    }

    private sealed class Lines(ConcurrentQueue<string> lines) : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            lines.Enqueue(formatter(state, exception));

        public void Dispose()
        {
        }
    }
}
