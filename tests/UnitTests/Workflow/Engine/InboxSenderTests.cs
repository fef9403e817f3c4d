using Workflow.Abstractions.Notifications;
using Workflow.Engine.Cluster;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class InboxSenderTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);
    private readonly SemaphoreSlim _progressed = new(0);

    /// <summary>It was there when the message was put, and was removed before it was read.</summary>
    [Fact]
    public async Task Command_whose_key_is_removed_while_sent_fails_alone()
    {
        await using var sender = Sender(messages => [.. messages.Select(m => m.Key!).Where(k => k.Key != "old")]);
        sender.Start();

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(
            () => sender.SendAsync(Message("old")).WaitAsync(Timeout, Cancel));
        Assert.True(await _progressed.WaitAsync(Timeout, Cancel));
        var sent = await sender.SendAsync(Message("new")).WaitAsync(Timeout, Cancel);
        Assert.True(await _progressed.WaitAsync(Timeout, Cancel));

        Assert.True(error.OutcomeUnknown);
        Assert.Equal("new", sent?.Key);
        Assert.True(sender.IsIdle);
    }

    [Fact]
    public async Task Failed_batch_ends_its_commands_and_the_next_is_sent()
    {
        var calls = 0;
        await using var sender =
            Sender(messages => [.. messages.SelectMany(m => Enumerable.Repeat(m.Key!, ++calls == 1 ? 2 : 1))]);
        sender.Start();

        await Assert.ThrowsAsync<StoreUnavailableException>(
            () => sender.SendAsync(Message("twice")).WaitAsync(Timeout, Cancel));

        Assert.Equal("next", (await sender.SendAsync(Message("next")).WaitAsync(Timeout, Cancel))?.Key);
    }

    [Fact]
    public async Task Sender_that_waits_for_each_answer_always_finds_room()
    {
        await using var sender =
            Sender(messages => [.. messages.Select(m => m.Key!)], new() { MaxPendingCommands = 1 });
        sender.Start();

        for (var sent = 0; sent < 2_000; sent++)
        {
            await sender.SendAsync(Message($"{sent}")).WaitAsync(Timeout, Cancel);
        }

        Assert.Equal(2_000, sender.Sent);
    }

    [Fact]
    public async Task Command_that_comes_after_the_end_is_refused()
    {
        var sender = Sender(messages => [.. messages.Select(m => m.Key!)]);
        sender.Start();
        await sender.DisposeAsync();

        await Assert.ThrowsAsync<EngineStoppedException>(
            () => sender.SendAsync(Message("late")).WaitAsync(Timeout, Cancel));
        Assert.True(sender.IsIdle);
    }

    private InboxSender Sender(
        Func<IReadOnlyList<InboxMessage>, IReadOnlyList<IdempotencyRow>> put, EngineLimits? limits = null) => new(
        new PutStore(put), new NoNotifier(), lanes: 1, new Backlog(limits ?? new(), TimeProvider.System),
        () => _progressed.Release(),
        TimeProvider.System, EngineRuntime.OfProcess);

    private static InboxMessage Message(string key) => new(
        StoreRows.Message(Guid.CreateVersion7()), new(key, "hash", Guid.CreateVersion7(), StoreRows.Now));

    private sealed class NoNotifier : INotifier
    {
        public string Description => "none";
        public NotificationCounts Counts => new(0, 0, 0, 0);

        public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken) => Task.CompletedTask;

        public void Send(int lane)
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class PutStore(Func<IReadOnlyList<InboxMessage>, IReadOnlyList<IdempotencyRow>> put) : NoClusterStore
    {
        public override Task<IReadOnlyList<IdempotencyRow>> PutAsync(
            IReadOnlyList<InboxMessage> messages, CancellationToken cancellationToken) =>
                Task.FromResult(put(messages));
    }
}

public sealed class BacklogTests
{
    private const int Clients = 4;
    private const int Rounds = 5_000;

    /// <summary>Checking first and adding later would admit all who check at the same moment.</summary>
    [Theory]
    [InlineData(2, 1_000), InlineData(1_000, 20)]
    public async Task Concurrent_clients_stay_within_the_capacity(int mostCommands, int mostSize)
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
                        backlog.AddFromClient(10);
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
