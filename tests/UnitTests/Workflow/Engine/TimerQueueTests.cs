using Workflow.Engine.Timers;

namespace UnitTests.Workflow.Engine;

public sealed class TimerQueueTests
{
    private static readonly DateTimeOffset Noon = new(2026, 1, 1, 12, 0, 0, TimeSpan.Zero);
    private readonly TimerQueue _queue = new();

    [Fact]
    public void Timers_come_up_in_order_of_time_and_only_when_due()
    {
        foreach (var second in new[] { 5, 1, 3 })
        {
            _queue.Add(At(second));
        }

        Assert.Equal(Noon.AddSeconds(1), _queue.NextDueUtc);
        Assert.False(_queue.TryTakeDue(Noon.AddSeconds(1).AddTicks(-1), out _));
        Assert.True(_queue.TryTakeDue(Noon.AddSeconds(4), out var first));
        Assert.True(_queue.TryTakeDue(Noon.AddSeconds(4), out var second2));
        Assert.False(_queue.TryTakeDue(Noon.AddSeconds(4), out _));
        Assert.Equal((Noon.AddSeconds(1), Noon.AddSeconds(3)), (first.DueUtc, second2.DueUtc));
        Assert.Equal((1, Noon.AddSeconds(5)), (_queue.Count, _queue.NextDueUtc));
    }

    [Fact]
    public void Empty_queue_is_never_due()
    {
        Assert.Null(_queue.NextDueUtc);
        Assert.False(_queue.TryTakeDue(DateTimeOffset.MaxValue, out _));
        Assert.False(_queue.IsWorthCompacting);
    }

    [Fact]
    public void Compaction_keeps_the_order()
    {
        for (var second = 0; second <= 10_000; second++)
        {
            _queue.Add(At(second));
        }

        Assert.True(_queue.IsWorthCompacting);
        _queue.Compact(e => e.DueUtc.Second == 7);

        Assert.Equal(167, _queue.Count);
        Assert.Equal(Noon.AddSeconds(7), _queue.NextDueUtc);
        Assert.False(_queue.IsWorthCompacting);
        Assert.True(_queue.TryTakeDue(DateTimeOffset.MaxValue, out _));
        Assert.Equal(Noon.AddSeconds(67), _queue.NextDueUtc);
    }

    private static TimerEntry At(int second) =>
        TimerEntry.ForWait(Noon.AddSeconds(second), Guid.NewGuid(), Guid.NewGuid());
}
