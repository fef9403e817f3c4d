using Workflow.Abstractions.Stores;
using Workflow.Engine.Signals;
using Xunit;

namespace UnitTests.Workflow.Engine;

public sealed class SignalBookTests
{
    private readonly SignalBook _book = new();

    [Fact]
    public void Waiters_are_taken_oldest_first_whatever_order_they_came_in()
    {
        var waiters = new[] { Waiter(3), Waiter(1), Waiter(2) };
        foreach (var waiter in waiters)
        {
            _book.AddWaiter("go", "a", waiter);
        }

        Assert.Equal((Waiter?[])[waiters[1], waiters[2], waiters[0], null], new[] { Take(), Take(), Take(), Take() }.AsEnumerable());

        Waiter? Take() => _book.TakeWaiter("go", "a");
    }

    [Fact]
    public void Signals_are_taken_first_in_first_out_and_one_sent_back_takes_its_place_again()
    {
        var (first, second, third) = (Signal(1), Signal(2), Signal(3));
        _book.AddSignal(second);
        _book.AddSignal(third);
        _book.AddSignal(first);

        Assert.Equal(3, _book.BufferedCount);
        Assert.Equal((SignalRow?[])[first, second, third, null], new[] { Take(), Take(), Take(), Take() }.AsEnumerable());
        Assert.Equal(0, _book.BufferedCount);

        SignalRow? Take() => _book.TakeSignal("go", "a");
    }

    [Fact]
    public void Same_position_keeps_the_order_of_arrival()
    {
        var (first, second) = (Waiter(1), Waiter(1));
        _book.AddWaiter("go", "a", first);
        _book.AddWaiter("go", "a", second);

        Assert.Same(first, _book.TakeWaiter("go", "a"));
    }

    [Fact]
    public void Names_and_keys_are_told_apart()
    {
        _book.AddWaiter("go", "a", Waiter(1));
        _book.AddSignal(Signal(1));

        Assert.Null(_book.TakeWaiter("go", "A"));
        Assert.Null(_book.TakeWaiter("stop", "a"));
        Assert.Null(_book.TakeSignal("a", "go"));
    }

    [Fact]
    public void What_is_removed_is_gone_and_removing_it_twice_says_so()
    {
        var (waiter, signal) = (Waiter(1), Signal(1));
        _book.AddWaiter("go", "a", waiter);
        _book.AddWaiter("go", "a", Waiter(2));
        _book.AddSignal(signal);

        Assert.True(_book.RemoveWaiter("go", "a", waiter.WaitId));
        Assert.False(_book.RemoveWaiter("go", "a", waiter.WaitId));
        Assert.True(_book.RemoveSignal("go", "a", signal.Id));
        Assert.False(_book.RemoveSignal("go", "a", signal.Id));
        Assert.Equal(0, _book.BufferedCount);
        Assert.Equal(2, _book.TakeWaiter("go", "a")!.Position);
        Assert.Null(_book.TakeWaiter("go", "a"));
    }

    private static Waiter Waiter(long position) => new(Guid.NewGuid(), Guid.NewGuid(), position, Subscribed: false);

    private static SignalRow Signal(long position) => new()
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
