using Workflow.Engine.Configuration;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class BacklogTests
{
    private const int Clients = 4;
    private const int Rounds = 5_000;

    /// <summary>Whoever looks and then adds lets in all who look at the same moment.</summary>
    [Theory]
    [InlineData(2, 1_000), InlineData(1_000, 20)]
    public async Task Clients_that_come_at_the_same_moment_get_no_more_room_than_there_is(int mostCommands, int mostSize)
    {
        const int Room = 2; // Of ten each.
        var backlog = Empty(mostCommands, mostSize);
        var admitted = 0;
        using var barrier = new Barrier(Clients, _ =>
        {
            Assert.Equal(Room, Interlocked.Exchange(ref admitted, 0));
            backlog = Empty(mostCommands, mostSize);
        });

        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Factory.StartNew(
            () =>
            {
                for (var round = 0; round < Rounds; round++)
                {
                    try
                    {
                        backlog.AddOfClient(10);
                        Interlocked.Increment(ref admitted);
                    }
                    catch (OverloadedException)
                    {
                        // No room: that is counted.
                    }

                    barrier.SignalAndWait(Cancel);
                }
            },
            Cancel,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
    }

    private static Backlog Empty(int commands, int size) =>
        new(new EngineLimits { MaxPendingCommands = commands, MaxPendingSize = size }, TimeProvider.System);
}
