namespace IntegrationTests.Shared.Conformance;

/// <summary>The engine's own account: what is in flight and for how long, and where every signal went.</summary>
public abstract class AccountConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task In_flight_is_integrated_over_the_engines_own_clock(int lanes)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(lanes, time).WithAsync(Definitions.WaitForGo);
        var keys = Enumerable.Range(0, 6).Select(i => $"a{i}").ToArray();
        await Task.WhenAll(keys.Select(key => engine.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key)));
        time.Advance(TimeSpan.FromSeconds(10));
        AssertInFlight(6, 60, engine);

        await Task.WhenAll(keys.Take(4).Select(key => engine.SignalAsync("go", key)));
        await engine.IdleAsync();
        time.Advance(TimeSpan.FromSeconds(5));
        AssertInFlight(2, 70, engine);

        await Task.WhenAll(keys.Skip(4).Select(key => engine.SignalAsync("go", key)));
        await engine.IdleAsync();
        time.Advance(TimeSpan.FromSeconds(100));
        AssertInFlight(0, 70, engine);
    }

    [Fact]
    public async Task Instance_is_in_flight_until_its_last_event_is_published()
    {
        var time = new ManualTime();
        var (quick, slow) = (new GatedPublisher(isOpen: true), new GatedPublisher(isOpen: false));
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Publishers = [quick, slow] }, time);
        await engine.RegisterAsync(Definitions.Empty);

        await engine.StartAsync("empty");
        await slow.Asked.WaitAsync(Eventually.Deadline, Cancel);
        time.Advance(TimeSpan.FromSeconds(7));
        AssertInFlight(1, 7, engine);
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);

        slow.Open();
        await engine.IdleAsync();
        time.Advance(TimeSpan.FromSeconds(7));
        AssertInFlight(0, 7, engine);
    }

    [Fact]
    public async Task Restarted_engine_begins_with_what_is_live()
    {
        var time = new ManualTime();
        var first = await EngineAsync(2, time).WithAsync(Definitions.WaitForGo);
        await first.StartAsync("waitForGo", """{ "id": "a" }""", "a");
        await first.StartAsync("waitForGo", """{ "id": "b" }""", "b");
        await first.DisposeAsync();

        time.Advance(TimeSpan.FromSeconds(50));
        var second = await EngineAsync(2, time);
        time.Advance(TimeSpan.FromSeconds(3));
        AssertInFlight(2, 6, second);

        await second.SignalAsync("go", "a");
        await second.IdleAsync();
        AssertInFlight(1, 6, second);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Flush_that_failed_counts_nothing_twice(bool afterCommit)
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, store)
            .WithAsync(Definitions.WaitForGo);
        store.Plan(flush => flush % 2 == 1 ? new(FlushFailure.Unavailable, afterCommit) : null);
        await engine.StartAsync("waitForGo", """{ "id": "a" }""", "a");
        await engine.SignalAsync("go", "b");
        time.Advance(TimeSpan.FromSeconds(2));
        AssertInFlight(1, 2, engine);

        await engine.SignalAsync("go", "a");
        await engine.IdleAsync();
        AssertInFlight(0, 2, engine);
        AssertSignals(accepted: 2, consumed: 1, expired: 0, buffered: 1, engine);
        Assert.True(engine.Engine.Statistics.FailedFlushes > 0);
    }

    [Theory]
    [InlineData(1), InlineData(4)]
    public async Task Every_signal_was_taken_or_given_up_or_is_still_there(int lanes)
    {
        var time = new ManualTime();
        var options = new WorkflowEngineOptions { Lanes = lanes, SignalTimeToLive = TimeSpan.FromMinutes(
            10), SignalReceivers = [new SignalReceiver { Name = "received" }] };
        var engine = await EngineAsync(options, time).WithAsync(Definitions.WaitForGo, Definitions.WaitById);

        // Taken by waiters of the same and other partitions, a later waiter, an instance and a receiver: 8 + 8 + 1 + 1.
        await Task.WhenAll(
            Enumerable.Range(0, 8)
                .Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "w{{i}}" }""", i % 2 == 0 ? $"w{i}" : null)));
        await Task.WhenAll(Enumerable.Range(0, 8).Select(i => engine.SignalAsync("go", $"w{i}")));
        await Task.WhenAll(Enumerable.Range(0, 8).Select(i => engine.SignalAsync("go", $"early{i}")));
        await Task.WhenAll(
            Enumerable.Range(0, 8).Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "early{{i}}" }""")));
        var own = await engine.StartAsync("waitById");
        await engine.SignalAsync("other", own.Id);
        await engine.SignalAsync("go", own.Id);
        await engine.SignalAsync("received", "receiver");

        // The instance ends without taking "other"; one signal without a taker expires; one more is due later.
        await engine.SignalAsync("go", "nobody");
        await engine.SignalAsync("go", "later", dueAt: time.GetUtcNow().AddHours(1));
        await engine.IdleAsync();
        AssertSignals(accepted: 21, consumed: 18, expired: 1, buffered: 2, engine);

        time.Advance(TimeSpan.FromMinutes(11));
        await engine.Events.WaitAsync<SignalExpired>(2, _ => true, Cancel);
        await engine.IdleAsync();
        AssertSignals(accepted: 21, consumed: 18, expired: 2, buffered: 1, engine);
    }

    private static void AssertInFlight(long count, double seconds, EngineSession engine)
    {
        var statistics = engine.Engine.Statistics;
        Assert.Equal((count, seconds), (statistics.InFlight, Math.Round(statistics.InFlightSeconds, 6)));
    }

    private static void AssertSignals(long accepted, long consumed, long expired, long buffered, EngineSession engine)
    {
        EngineStatistics s = engine.Engine.Statistics;
        Assert.Equal(
            (accepted, consumed, expired, buffered),
            (s.Signals, s.SignalsConsumed, s.SignalsExpired, s.BufferedSignals));
    }

    private sealed class GatedPublisher(bool isOpen) : IEventPublisher
    {
        private readonly TaskCompletionSource _asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Asked => _asked.Task;

        public void Open() => _open.TrySetResult();

        public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            _asked.TrySetResult();
            return isOpen ? Task.CompletedTask : _open.Task.WaitAsync(cancellationToken);
        }
    }
}
