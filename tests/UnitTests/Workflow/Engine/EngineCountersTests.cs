namespace UnitTests.Workflow.Engine;

public sealed class EngineCountersTests
{
    [Fact]
    public void Statistics_read_back_from_their_metrics_are_the_same()
    {
        var statistics = Numbered(
            new() { NodeName = "", OwnedLanes = [0, 1], LiveNodes = 0, Forwarded = 0, InboxTaken = 0, LanesLost = 0 });

        var readBack = EngineStatistics.Parse(Samples(statistics));

        Assert.Equal(Samples(statistics), Samples(readBack));
        Assert.Equal(
            Enumerable.Range(1, EngineCounters.All.Count).Select(i => (double?)i),
            EngineCounters.All.Select(c => c.Read(readBack)));
    }

    [Fact]
    public void Engine_that_owns_its_store_has_no_node_metrics()
    {
        var samples = Samples(EngineStatistics.Parse(Samples(Numbered(cluster: null))));

        Assert.DoesNotContain("workflow_live_nodes", samples.Keys);
        Assert.Contains("workflow_notifications_sent_total", samples.Keys);
    }

    [Fact]
    public void Difference_subtracts_counters_and_keeps_gauges()
    {
        var later = Numbered(null);
        var earlier =
            later with { Started = 2, InFlightSeconds = 0.5, DeadLetters = 1000, Notifications = new(1, 1, 1, 1) };

        var difference = later.Since(earlier);

        Assert.Equal(later.Started - 2, difference.Started);
        Assert.Equal(later.InFlightSeconds - 0.5, difference.InFlightSeconds);
        Assert.Equal((0, 0), (difference.Completed, difference.Flushes));
        Assert.Equal((later.Lanes, later.DeadLetters, later.InFlight),
            (difference.Lanes, difference.DeadLetters, difference.InFlight));
        Assert.Equal(later.Notifications.Received - 1, difference.Notifications.Received);
        Assert.Null(difference.Cluster);
    }

    [Fact]
    public void Page_without_a_required_counter_is_refused_by_its_name()
    {
        var samples = Samples(Numbered(null));
        samples.Remove("workflow_flushes_total");

        Assert.Contains(
            "workflow_flushes_total", Assert.Throws<FormatException>(() => EngineStatistics.Parse(samples)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Metrics_are_listed_once_each_and_counters_end_in_total()
    {
        Assert.Equal(EngineCounters.All.Count, EngineCounters.All.Select(c => c.Metric).Distinct().Count());
        Assert.All(
            EngineCounters.All,
            c => Assert.Equal(c.Kind == CounterKind.Counter, c.Metric.EndsWith("_total", StringComparison.Ordinal)));
    }

    /// <summary>Every figure differs from every other: a figure written under another's name shows.</summary>
    private static EngineStatistics Numbered(ClusterStatistics? cluster)
    {
        var statistics = new EngineStatistics
        {
            Lanes = 0, PendingCommands = 0, LiveInstances = 0, InFlight = 0, InFlightSeconds = 0, OpenTasks = 0,
            BufferedSignals = 0,
            UnpublishedEvents = 0,
            DeadLetters = 0, DeadSignals = 0, DeadLettered = 0, Started = 0, Called = 0, Completed = 0, Failed = 0,
            Cancelled = 0,
            Signals = 0,
            SignalsConsumed = 0, SignalsExpired = 0, Flushes = 0, FlushedCommands = 0, FailedFlushes = 0,
            RejectedCommands = 0,
            CrossPartitionMessages = 0, LaneReloads = 0, Commits = 0, StalledSeconds = 0,
            RunningActivities = 0, WaitingActivities = 0, Suspended = 0, Resumed = 0, Retried = 0,
            UnreceivedSignals = 0,
            ResidentInstances = 0, Wakeups = 0, DormantLookUps = 0, DormantLookUpSeconds = 0,
            Cluster = cluster,
        };
        foreach (var (counter, i) in EngineCounters.All.Select((c, i) => (c, i))
            .Where(c => c.c.Read(statistics) is not null))
        {
            statistics = counter.With(statistics, i + 1);
        }

        return statistics;
    }

    private static Dictionary<string, double> Samples(EngineStatistics statistics) => EngineCounters.All
        .Where(c => c.Read(statistics) is not null)
        .ToDictionary(c => c.Metric, c => c.Read(statistics)!.Value);
}
