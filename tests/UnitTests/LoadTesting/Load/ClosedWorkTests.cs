using LoadTesting.Core.Load;

namespace UnitTests.LoadTesting.Load;

public sealed class ClosedWorkTests
{
    [Fact]
    public void A_dismissed_copy_leaves_without_a_claim_and_only_as_many_as_were_dismissed()
    {
        var work = new ClosedWork(deadline: 100, long.MaxValue);

        work.Retire(2);

        Assert.Equal([false, false, true], new[] { 1, 2, 3 }.Select(now => work.TryClaim(now)));
        Assert.Equal(1, work.Claimed);
    }

    [Fact]
    public void A_copy_that_has_not_left_yet_stays_when_it_is_wanted_again()
    {
        var work = new ClosedWork(deadline: 100, long.MaxValue);
        work.Retire(1);

        Assert.True(work.TryKeep());

        Assert.False(work.TryKeep());
        Assert.True(work.TryClaim(1));
    }

    [Fact]
    public void Nothing_is_claimed_at_the_deadline_or_past_the_number() =>
        Assert.Equal(
            [(true, false), (true, true)],
            [(new ClosedWork(100, 1).TryClaim(99), new ClosedWork(100, 1).TryClaim(100)), TwoOfTwo(new ClosedWork(100, 2))]);

    private static (bool First, bool Second) TwoOfTwo(ClosedWork work)
    {
        var both = (work.TryClaim(1), work.TryClaim(1));
        Assert.False(work.TryClaim(1));
        return both;
    }
}
