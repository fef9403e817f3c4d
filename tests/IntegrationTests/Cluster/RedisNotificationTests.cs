using IntegrationTests.Redis;
using IntegrationTests.WebService;

namespace IntegrationTests.Cluster;

/// <summary>
/// Two processes on one PostgreSQL that do not reach one another, so that signals at the node that owns nothing go by
/// inboxes, with and without Redis.
/// </summary>
[Trait("Category", "Extended")]
public sealed class RedisNotificationTests(BackendFixture fixture, ITestOutputHelper output) : RedisTests(fixture)
{
    private const int Count = 200;
    private const string SentName = "workflow_notifications_sent_total";
    private const string CoalescedName = "workflow_notifications_coalesced_total";
    private const string LostName = "workflow_notifications_lost_total";
    private const string ReceivedName = "workflow_notifications_received_total";

    [Fact]
    [JudgesRealTime]
    public Task Notifications_and_not_the_interval_wake_the_owner() => RealTime.HoldsAsync(async () =>
    {
        // Longer than the test may take, so only a notification can have woken the lane.
        var interval = TimeSpan.FromSeconds(60);
        var redis = await SharedAsync();
        await using var cluster = await StartAsync(
            redis, new() { ["WorkflowCluster:InboxMilliseconds"] = $"{interval.TotalMilliseconds}" });
        await using var run = await PairRun.BeginAsync(cluster);
        var since = Stopwatch.GetTimestamp();

        await run.SignalAllAsync();
        await run.AssertCompletedOnceAsync();

        Assert.True(
            Stopwatch.GetElapsedTime(since) < interval / 2,
            $"{Count} signals took {Stopwatch.GetElapsedTime(since).TotalSeconds:0} s.");
        var (sent, received) = (
            await cluster.MetricAsync(run.Entry, SentName),
            await cluster.MetricAsync(run.Owner, ReceivedName));
        output.WriteLine($"{Count} signals: {sent} notifications sent, {received} received, "
            + $"{await cluster.MetricAsync(run.Entry, CoalescedName)} coalesced");
        Assert.InRange(sent, 1, Count);
        Assert.InRange(received, 1, Count);
        Assert.Equal(0, await cluster.MetricAsync(run.Entry, LostName));
        Assert.True(await cluster.MetricAsync(run.Entry, "workflow_forwarded_total") >= Count);
        await cluster.AssertSoundAsync();
    });

    [Fact]
    public async Task Redis_that_is_killed_in_mid_run_slows_and_loses_nothing()
    {
        await using var redis = await StartAsync();
        await using var cluster = await StartAsync(redis);
        await using var run = await PairRun.BeginAsync(cluster);

        await run.SignalAsync(0, Count / 4);
        var killing = redis.Host.KillAsync(Cancel);
        await run.SignalAsync(Count / 4, Count / 4);
        await killing;
        await run.SignalAsync(Count / 2, Count / 4);
        await redis.Host.StartAgainAsync(Cancel);
        await run.SignalAsync(Count * 3 / 4, Count / 4);

        await run.AssertCompletedOnceAsync();
        Assert.True(
            await cluster.MetricAsync(run.Entry, LostName) > 0, "No notification was lost, so nothing was tried.");
        Assert.True(
            await cluster.MetricAsync(run.Entry, SentName) > 0, "No notification was sent, so nothing was tried.");
        await cluster.AssertSoundAsync();
    }

    [Fact]
    public async Task Redis_that_hangs_in_mid_run_slows_and_loses_nothing()
    {
        await using var redis = await StartAsync();
        await using var cluster = await StartAsync(redis);
        await using var run = await PairRun.BeginAsync(cluster);

        await run.SignalAsync(0, Count / 2);
        await redis.Host.PauseAsync(Cancel);
        await run.SignalAsync(Count / 2, Count / 2);
        await run.AssertCompletedOnceAsync();
        await redis.Host.ContinueAsync(Cancel);

        await cluster.AssertSoundAsync();
    }

    [Fact]
    public async Task Redis_away_at_start_loses_nothing()
    {
        await using var redis = await StartAsync();
        await redis.Host.KillAsync(Cancel);
        await using var cluster = await StartAsync(redis);
        await Eventually.HoldsAsync(
            () => cluster.Nodes[1].OutputTail.Contains("is away", StringComparison.Ordinal),
            "Redis to be reported in the log");
        await using var run = await PairRun.BeginAsync(cluster);

        await run.SignalAllAsync();

        await run.AssertCompletedOnceAsync();
        Assert.Equal(0, await cluster.MetricAsync(run.Owner, ReceivedName));
        await cluster.AssertSoundAsync();
    }

    private Task<ServiceCluster> StartAsync(RedisServer redis, Dictionary<string, string>? settings = null) =>
        ServiceCluster.StartAsync(
        Fixture,
        nodes: 2,
        lanes: 2,
        new Dictionary<string, string>(settings ?? [])
        {
            ["WorkflowSignalDriver:Provider"] = "Redis",
            ["WorkflowSignalDriver:ChannelPrefix"] = $"test-{Guid.NewGuid():N}",
            ["ConnectionStrings:Redis"] = redis.ConnectionString,
            [ServiceCluster.Lease] = ServiceCluster.LongestLease,
            ["WorkflowCluster:Address"] = "http://127.0.0.1:9",
        });

    /// <summary>Instances that wait in a lane of one node, and their signals, which enter at the other.</summary>
    private sealed class PairRun : IAsyncDisposable
    {
        private readonly EventInbox _inbox;
        private readonly string[] _keys;
        private readonly Guid[] _started;

        private PairRun(ServiceCluster cluster, EventInbox inbox, string[] keys, Guid[] started)
        {
            (Owner, Entry) = (cluster.Nodes[0], cluster.Nodes[1]);
            _inbox = inbox;
            _keys = keys;
            _started = started;
        }

        public WebServiceProcess Owner { get; }
        public WebServiceProcess Entry { get; }

        public static async Task<PairRun> BeginAsync(ServiceCluster cluster)
        {
            var owner = cluster.Nodes[0];
            var name = await owner.Client.RegisterNewAsync(SampleDefinitions.Waiting);
            var lanes = await cluster.OwnedAsync(owner);
            var keys = Enumerable.Range(0, Count).Select(i => cluster.KeyIn(lanes, $"h{i}-")).ToArray();
            var inbox = await EventInbox.OpenAsync(owner.BaseAddress, new EventStreamOptions(), Cancel);
            var started = await Task.WhenAll(keys.Select(async key => (await owner.Client.StartAsync(
                new StartInstance
                {
                    Definition = name,
                    CorrelationKey = key,
                    Input = JsonSerializer.SerializeToElement(new { key }),
                },
                cancellationToken: Cancel)).Id));
            return new(cluster, inbox, keys, started);
        }

        public Task SignalAllAsync() => SignalAsync(0, Count);

        public Task SignalAsync(int first, int count) =>
            Parallel.ForAsync(first, first + count, Cancel, async (i, cancel) =>
                await Entry.Client.SignalAsync(
                    new SendSignal { Name = "resume", CorrelationKey = _keys[i] }, cancellationToken: cancel));

        public Task AssertCompletedOnceAsync() => _inbox.AssertCompletedOnceAsync(_started);
        public ValueTask DisposeAsync() => _inbox.DisposeAsync();
    }
}
