namespace UnitTests.LoadTesting.Load.Pacing;

public sealed class ClosedWorkTests
{
    [Fact]
    public void Only_dismissed_copies_leave()
    {
        var work = ClosedWork.Of(10, firstNumber: 0);

        work.Retire(2);

        Assert.Equal([false, false, true], new[] { 1, 2, 3 }.Select(now => work.TryClaim(now, out _)));
        Assert.Equal(1, work.Claimed);
    }

    [Fact]
    public void A_copy_that_has_not_left_yet_stays_when_it_is_wanted_again()
    {
        var work = ClosedWork.Until(100);
        work.Retire(1);

        Assert.True(work.TryKeep());

        Assert.False(work.TryKeep());
        Assert.True(work.TryClaim(1, out _));
    }

    [Fact]
    public void Nothing_is_claimed_at_the_deadline_or_past_the_number()
    {
        var (timed, counted) = (ClosedWork.Until(100), ClosedWork.Of(2, firstNumber: 40));

        Assert.Equal((true, false), (timed.TryClaim(99, out _), timed.TryClaim(100, out _)));
        Assert.Equal((true, 40L), (counted.TryClaim(1, out var first), first));
        Assert.Equal((true, 41L), (counted.TryClaim(1, out var second), second));
        Assert.False(counted.TryClaim(1, out _));
        Assert.Equal(2, counted.Claimed);
    }
}
