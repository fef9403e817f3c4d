using Workflow.Abstractions.Notifications;
using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Several engines on one content, in one process.</summary>
public abstract class ClusterConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    /// <summary>A lease that no busy machine lets run out.</summary>
    protected static ClusterOptions Named(string name) => new()
    {
        NodeName = name,
        Lease = TimeSpan.FromSeconds(20),
        RenewalInterval = TimeSpan.FromMilliseconds(200),
        InboxInterval = TimeSpan.FromMilliseconds(25),
    };

    protected async Task<EngineSession> NodeAsync(string name, int lanes) => await EngineAsync(
        new WorkflowEngineOptions
        {
            Lanes = lanes,
            Cluster = Named(name) with { Notifier = await NotifierAsync() },
        });

    /// <summary>A node whose clock stands still, like a stopped process: it never renews its short lease.</summary>
    protected async Task<EngineSession> SleeperAsync(int lanes, ManualTime time, IWorkflowStore? store = null) =>
        await EngineAsync(
            new WorkflowEngineOptions
            {
                Lanes = lanes,
                Cluster = Named("sleeper") with { Lease = TimeSpan.FromSeconds(1), Notifier = await NotifierAsync() },
            }, time, store);

    /// <summary>The signal driver of a node; none by default.</summary>
    protected virtual Task<INotifier> NotifierAsync() => Task.FromResult<INotifier>(new NoNotifier());

    /// <summary>Two nodes that have divided the lanes between them.</summary>
    protected async Task<(EngineSession First, EngineSession Second)> TwoAsync(int lanes = 4)
    {
        var first = await NodeAsync("first", lanes);
        var second = await NodeAsync("second", lanes);
        await Eventually.HoldsAsync(
            () => Owned(first).Count == lanes / 2 && Owned(second).Count == lanes / 2, "the lanes are divided");
        return (first, second);
    }

    protected static IReadOnlyList<int> Owned(EngineSession node) => node.Engine.Statistics.Cluster?.OwnedLanes ?? [];

    /// <summary>Any key that lives in a lane of the node.</summary>
    protected static string KeyOf(EngineSession node, int lanes, string prefix = "k")
    {
        for (var i = 0; ; i++)
        {
            if (Owned(node).Contains(Partitioning.OfKey($"{prefix}{i}") % lanes))
            {
                return $"{prefix}{i}";
            }
        }
    }
}
