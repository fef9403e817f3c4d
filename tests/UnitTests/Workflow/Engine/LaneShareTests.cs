using Workflow.Engine.Cluster;

namespace UnitTests.Workflow.Engine;

public sealed class LaneShareTests
{
    [Theory]
    [InlineData(1, 1), InlineData(4, 1), InlineData(4, 2), InlineData(4, 3), InlineData(2, 5), InlineData(64, 7)]
    public void Shares_of_all_nodes_are_all_lanes_and_differ_by_one_at_most(int lanes, int nodes)
    {
        var view = View(lanes, nodes);

        var shares = view.Nodes.Where(n => n.IsLive).Select(n => LaneShare.Of(n.Id, view)).ToArray();

        Assert.Equal(lanes, shares.Sum());
        Assert.InRange(shares.Max() - shares.Min(), 0, 1);
    }

    [Fact]
    public void Node_that_is_gone_has_no_share()
    {
        var view = View(4, 2);

        Assert.Equal(0, LaneShare.Of(view.Nodes.Single(n => !n.IsLive).Id, view));
        Assert.Equal(0, LaneShare.Of(Guid.NewGuid(), view));
    }

    private static ClusterView View(int lanes, int live) => new()
    {
        LaneCount = lanes,
        Lanes = [.. Enumerable.Range(0, lanes).Select(i => new LeaseRow(i, null, TimeSpan.Zero, 0))],
        Nodes = [.. Enumerable.Range(0, live + 1)
            .Select(i => new NodeRow(Guid.NewGuid(), $"n{i}", DateTimeOffset.UnixEpoch, IsLive: i < live))],
        LastDefinition = 0,
    };
}
