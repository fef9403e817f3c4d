using Workflow.Engine.Commands;
using Workflow.Engine.Signals;

namespace UnitTests.Workflow.Engine;

public sealed class SignalIndexTests
{
    private readonly SignalIndex _index = new();

    [Fact]
    public void Waiters_are_taken_oldest_first_whatever_order_they_came_in()
    {
        var waiters = new[] { Waiter(3), Waiter(1), Waiter(2) };
        foreach (var waiter in waiters)
        {
            _index.AddWaiter("go", "a", waiter);
        }

        Assert.Equal((Waiter?[])[waiters[1], waiters[2], waiters[0], null],
            new[] { Take(), Take(), Take(), Take() }.AsEnumerable());

        Waiter? Take() => _index.TakeWaiter("go", "a");
    }

    [Fact]
    public void Signals_are_taken_first_in_first_out()
    {
        var (first, second, third) = (Signal(1), Signal(2), Signal(3));
        _index.AddSignal(second);
        _index.AddSignal(third);
        _index.AddSignal(first);

        Assert.Equal(3, _index.BufferedCount);
        Assert.Equal(
            (AcceptedSignal?[])[first, second, third, null], new[] { Take(), Take(), Take(), Take() }.AsEnumerable());
        Assert.Equal(0, _index.BufferedCount);

        AcceptedSignal? Take() => _index.TakeSignal("go", "a");
    }

    [Fact]
    public void Oldest_waiter_of_another_partition_comes_first()
    {
        var (subscribed, own) = (Waiter(1) with { Subscribed = true }, Waiter(2));
        _index.AddWaiter("go", "a", subscribed);
        _index.AddWaiter("go", "a", own);

        Assert.Null(_index.TakeOwnWaiter("go", "a"));
        Assert.Same(subscribed, _index.TakeWaiter("go", "a"));
        Assert.Same(own, _index.TakeOwnWaiter("go", "a"));
        Assert.Null(_index.TakeOwnWaiter("go", "a"));
    }

    [Fact]
    public void Same_position_keeps_the_order_of_arrival()
    {
        var (first, second) = (Waiter(1), Waiter(1));
        _index.AddWaiter("go", "a", first);
        _index.AddWaiter("go", "a", second);

        Assert.Same(first, _index.TakeWaiter("go", "a"));
    }

    [Fact]
    public void Names_and_keys_are_distinguished()
    {
        _index.AddWaiter("go", "a", Waiter(1));
        _index.AddSignal(Signal(1));

        Assert.Null(_index.TakeWaiter("go", "A"));
        Assert.Null(_index.TakeWaiter("stop", "a"));
        Assert.Null(_index.TakeSignal("a", "go"));
    }

    [Fact]
    public void Second_removal_is_reported()
    {
        var (waiter, signal) = (Waiter(1), Signal(1));
        _index.AddWaiter("go", "a", waiter);
        _index.AddWaiter("go", "a", Waiter(2));
        _index.AddSignal(signal);

        Assert.Equal(waiter, _index.RemoveWaiter("go", "a", waiter.WaitId));
        Assert.Null(_index.RemoveWaiter("go", "a", waiter.WaitId));
        Assert.True(_index.RemoveSignal("go", "a", signal.Id));
        Assert.False(_index.RemoveSignal("go", "a", signal.Id));
        Assert.Equal(0, _index.BufferedCount);
        Assert.Equal(2, _index.TakeWaiter("go", "a")!.Position);
        Assert.Null(_index.TakeWaiter("go", "a"));
    }

    private static Waiter Waiter(long position) => new(Guid.NewGuid(), Guid.NewGuid(), position, Subscribed: false);

    private static AcceptedSignal Signal(long position) => new()
    {
        Id = Guid.NewGuid(),
        Partition = 0,
        Name = "go",
        CorrelationKey = "a",
        Position = position,
        AcceptedUtc = DateTimeOffset.UnixEpoch,
        ExpiresUtc = DateTimeOffset.UnixEpoch,
    };
}
