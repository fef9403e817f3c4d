using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class AsyncAutoResetEventTests
{
    [Fact]
    public async Task Signal_set_before_the_wait_ends_it_at_once_and_only_once()
    {
        var signal = new AsyncAutoResetEvent();
        signal.Set();
        signal.Set();

        Assert.True(signal.WaitAsync().IsCompletedSuccessfully);
        var second = signal.WaitAsync().AsTask();
        Assert.False(second.IsCompleted);
        signal.Set();
        await second.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
    }

    [Theory]
    [InlineData(1), InlineData(4)]
    public async Task Nothing_that_was_set_for_is_missed_under_contention(int setters)
    {
        const int Each = 100_000;
        var signal = new AsyncAutoResetEvent();
        var posted = 0;
        var consumer = Task.Run(
            async () =>
            {
                while (Volatile.Read(ref posted) < setters * Each)
                {
                    await signal.WaitAsync();
                }
            },
            Cancel);

        await Task.WhenAll(Enumerable.Range(0, setters).Select(_ => Task.Run(
            () =>
            {
                for (var i = 0; i < Each; i++)
                {
                    Interlocked.Increment(ref posted);
                    signal.Set();
                }
            },
            Cancel)));

        // A lost wake-up would leave the consumer asleep although everything is posted.
        await consumer.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        Assert.Equal(setters * Each, posted);
    }

    [Fact]
    public async Task Two_that_wake_each_other_in_turn_never_stop()
    {
        const int Turns = 50_000;
        var (ping, pong) = (new AsyncAutoResetEvent(), new AsyncAutoResetEvent());
        var turn = 0;
        var players = new[] { PlayAsync(ping, pong, 0), PlayAsync(pong, ping, 1) };
        ping.Set();

        await Task.WhenAll(players).WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        Assert.Equal(Turns, turn);

        Task PlayAsync(AsyncAutoResetEvent mine, AsyncAutoResetEvent other, int parity) => Task.Run(
            async () =>
            {
                while (Volatile.Read(ref turn) < Turns)
                {
                    await mine.WaitAsync();
                    if (Volatile.Read(ref turn) < Turns && turn % 2 == parity)
                    {
                        Interlocked.Increment(ref turn);
                    }

                    other.Set();
                }
            },
            Cancel);
    }
}
