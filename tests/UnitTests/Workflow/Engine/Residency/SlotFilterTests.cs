using Workflow.Engine.Residency;

namespace UnitTests.Workflow.Engine.Residency;

public sealed class SlotFilterTests
{
    private const int Count = 300_000;

    [Fact]
    public void Every_added_slot_is_found()
    {
        var filter = new SlotFilter();
        for (var i = 0; i < Count; i++)
        {
            filter.Add(SlotOf(i));
        }

        Assert.Equal(Count, filter.Added);
        Assert.DoesNotContain(Enumerable.Range(0, Count), i => !filter.MayContain(SlotOf(i)));
    }

    [Fact]
    public void Few_absent_slots_are_found()
    {
        var filter = new SlotFilter();
        for (var i = 0; i < Count; i++)
        {
            filter.Add(SlotOf(i));
        }

        var found = Enumerable.Range(Count, 100_000).Count(i => filter.MayContain(SlotOf(i)));

        Assert.InRange(found, 0, 1_500);
    }

    [Fact]
    public void Empty_filter_contains_nothing() => Assert.False(new SlotFilter().MayContain(SlotOf(1)));

    [Fact]
    public void Index_says_maybe_until_all_slots_are_read()
    {
        var index = new SlotIndex();
        index.BeginBuild();
        index.Add(SlotOf(1));
        index.AddStored([SlotOf(2)], isLast: false);
        Assert.True(index.MayContain(SlotOf(3)));

        index.AddStored([SlotOf(4)], isLast: true);
        index.AddStored([SlotOf(4)], isLast: true);

        Assert.Equal(
            [true, true, false, true], Enumerable.Range(1, 4).Select(i => index.MayContain(SlotOf(i))));
        Assert.True(index.IsComplete);
    }

    [Fact]
    public void Index_is_read_anew_when_most_of_it_is_stale()
    {
        var index = new SlotIndex();
        index.BeginEmpty();
        for (var i = 0; i <= 1_000_000; i++)
        {
            index.Add(SlotOf(i));
        }

        Assert.False(index.NeedsRebuild(stored: 1));
        Assert.True(index.NeedsRebuild(stored: 0));
        index.BeginBuild();
        index.Add(SlotOf(-1));
        index.AddStored([SlotOf(-2)], isLast: true);

        Assert.Equal(
            (true, true, false),
            (index.MayContain(SlotOf(-1)), index.MayContain(SlotOf(-2)), index.MayContain(SlotOf(5))));
    }

    private static long SlotOf(int i) => SignalSlot.Of("go", $"key {i}");
}
