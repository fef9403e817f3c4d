using Workflow.Engine.Commands;
using Workflow.Engine.Lanes;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace UnitTests.Workflow.Engine;

public sealed class MailboxTests
{
    private readonly Mailbox _mailbox = new();
    private readonly Queue<LaneCommand> _taken = new();
    private DateTimeOffset _now = DateTimeOffset.UnixEpoch;
    private int _timers;

    [Fact]
    public void Each_source_has_a_third_and_what_others_leave()
    {
        Add(callers: 1_000, own: 1_000, timers: 1_000);
        Assert.Equal((10, 10, 10), Take(30));

        Add(callers: -1_000, own: 0, timers: 0);
        while (_mailbox.TryTake(out _))
        {
        }

        _timers = 5;
        Add(callers: 100, own: 0, timers: 0);
        Assert.Equal((25, 0, 5), Take(30));
    }

    [Fact]
    public void Quarter_of_a_batch_is_kept_for_callers()
    {
        Add(callers: 0, own: 10_000, timers: 0);

        Assert.Equal((0, 75, 0), Take(100));
        Add(callers: 20, own: 0, timers: 0);
        Assert.Equal((17, 8, 0), Take(25, limit: 100));
    }

    [Theory]
    [InlineData(1), InlineData(2), InlineData(3)]
    public void No_source_waits_for_ever_however_small_a_batch_is(int room)
    {
        Add(callers: 1_000, own: 1_000, timers: 1_000);

        var (callers, own, timers) = Enumerable.Range(0, 12).Select(_ => Take(room))
            .Aggregate((a, b) => (a.Item1 + b.Item1, a.Item2 + b.Item2, a.Item3 + b.Item3));

        Assert.All([callers, own, timers], n => Assert.True(n >= 4, $"{callers} {own} {timers}"));
    }

    [Fact]
    public void Batch_has_few_timers_while_callers_come()
    {
        Add(callers: 1, own: 0, timers: 10_000);

        Assert.Equal((1, 0, 32), Take(1_000));
        Assert.Equal((0, 0, 32), Take(1_000));

        // The rest of the same batch.
        Assert.Equal((0, 0, 0), Take(900, limit: 1_000));
        Add(callers: 20, own: 0, timers: 0);
        Assert.Equal((20, 0, 8), Take(900, limit: 1_000));

        _now += TimeSpan.FromSeconds(1);
        Assert.Equal((0, 0, 750), Take(1_000));
    }

    [Fact]
    public void Batch_may_have_twice_as_many_timers_as_commands_of_callers()
    {
        Add(callers: 100, own: 0, timers: 10_000);

        Assert.Equal((100, 0, 200), Take(1_000));
    }

    private void Add(int callers, int own, int timers)
    {
        for (var i = 0; i < callers; i++)
        {
            _mailbox.AddFromCaller(new CancelLaneCommand(Guid.NewGuid(), null, null));
        }

        for (var i = 0; i < own; i++)
        {
            _mailbox.AddInternal(new ReceiverLaneCommand(Guid.NewGuid(), () => { }));
        }

        _timers += timers;
    }

    private (int Callers, int Own, int Timers) Take(int room, int? limit = null)
    {
        _taken.Clear();
        _mailbox.Take(
            _taken, _now, room, limit ?? room, () => _timers-- > 0 ? new TimerLaneCommand(default) : null);
        return (Count<CancelLaneCommand>(), Count<ReceiverLaneCommand>(), Count<TimerLaneCommand>());

        int Count<T>() => _taken.OfType<T>().Count();
    }
}
