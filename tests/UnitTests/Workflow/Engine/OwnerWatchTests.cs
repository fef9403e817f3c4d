using Workflow.Engine.Cluster;

namespace UnitTests.Workflow.Engine;

public sealed class OwnerWatchTests
{
    private static readonly Guid Own = Guid.NewGuid();
    private static readonly Guid Other = Guid.NewGuid();
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(2);
    private readonly ManualTime _time = new();
    private readonly OwnerWatch _watch;

    public OwnerWatchTests() => _watch = new(Own, Longest, _time);

    [Fact]
    public void Lease_of_a_killed_node_does_not_count()
    {
        Observe(Other, seconds: 1.5);
        Observe(Other, seconds: 1);
        Observe(Other, seconds: 0.5);

        Assert.False(_watch.IsServed(0));
    }

    [Fact]
    public void Lane_is_served_from_the_first_renewal_that_is_seen()
    {
        Observe(Other, seconds: 1.5);
        Observe(Other, seconds: 2);
        Observe(Other, seconds: 1.5);
        Assert.True(_watch.IsServed(0));

        _time.Advance(Longest + TimeSpan.FromTicks(1));
        Assert.False(_watch.IsServed(0));
    }

    [Fact]
    public void New_owner_counts_from_its_own_renewal()
    {
        Observe(Other, seconds: 1.5);
        Observe(Other, seconds: 2);
        var next = Guid.NewGuid();
        Observe(next, seconds: 2);
        Assert.False(_watch.IsServed(0));

        Observe(next, seconds: 1);
        Observe(next, seconds: 2);
        Assert.True(_watch.IsServed(0));
    }

    [Fact]
    public void Own_and_free_lanes_are_not_those_of_others()
    {
        foreach (var owner in new Guid?[] { Own, null })
        {
            Observe(owner, seconds: 1);
            Observe(owner, seconds: 2);
            Assert.False(_watch.IsServed(0));
        }
    }

    private void Observe(Guid? owner, double seconds) => _watch.Observe(new()
    {
        LaneCount = 1, Nodes = [], LastDefinition = 0,
        Lanes = [new(0, owner, TimeSpan.FromSeconds(seconds), LastSequence: 0)],
    });
}
