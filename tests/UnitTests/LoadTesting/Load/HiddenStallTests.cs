using System.Diagnostics;
using LoadTesting.Core.Load;

namespace UnitTests.LoadTesting.Load;

public sealed class HiddenStallTests
{
    private static readonly TimeSpan s_run = TimeSpan.FromSeconds(20);

    [Fact]
    public void A_stall_that_few_iterations_met_is_found_and_quantified()
    {
        var stall = Judge(stallMs: 1_400, new HiddenStallLimits());

        Assert.NotNull(stall);
        Assert.Equal((1, 4), (stall.Stalls, stall.IterationsThatSawIt));
        Assert.Equal(1.4, stall.Longest.TotalSeconds, 0.001);
        Assert.Equal(0.07, stall.TimeShare, 0.001);
        Assert.Equal(301, stall.IterationsExpected);
        Assert.Contains("closed model hides it: 1.40 s stall", stall.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_check_can_be_switched_off() => Assert.Null(Judge(1_400, new HiddenStallLimits { MedianFactor = null }));

    [Theory]
    [InlineData(45)]
    [InlineData(190)]
    public void A_gap_that_is_usual_or_short_against_the_run_is_no_stall(int gapMs) => Assert.Null(Judge(gapMs, new HiddenStallLimits()));

    [Fact]
    public void A_stall_that_the_p99_shows_is_not_hidden() =>
        Assert.Null(Judge(1_400, new HiddenStallLimits { MaximumSeenShare = 0.001 }));

    [Fact]
    public void A_stall_that_its_share_of_iterations_met_is_not_hidden() =>
        Assert.Null(Judge(1_400, new HiddenStallLimits { MaximumSeenRatio = 0.01 }));

    /// <summary>Four copies complete one iteration every 5 ms in turn, but for one gap.</summary>
    private static HiddenStall? Judge(int stallMs, HiddenStallLimits limits)
    {
        var gaps = new CompletionGaps();
        var service = new LatencyHistogram();
        var millisecond = Stopwatch.Frequency / 1_000;
        var now = 1_000 * millisecond;
        gaps.Restart(now, copies: 4);
        for (var i = 0; i < 4_000; i++)
        {
            now += i == 2_000 ? stallMs * millisecond : 5 * millisecond;
            gaps.Completed(now);
            service.Record(TimeSpan.FromMilliseconds(20));
        }

        return gaps.Judge(service, s_run, limits);
    }
}
