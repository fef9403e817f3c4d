namespace IntegrationTests.Shared.Conformance;

/// <summary>Signals with a due time, signals that expire, and signals for receivers.</summary>
public abstract class DelayedSignalConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(3, false), InlineData(2, true)]
    public async Task Delayed_signal_is_delivered_when_it_is_due(int lanes, bool restart)
    {
        var engine = await EngineAsync(lanes, _time).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await engine.IdleAsync();
        var due = _time.GetUtcNow().AddSeconds(2);
        var kept = await engine.SignalAsync("go", "a", "1", dueAt: due);
        Assert.Equal((false, true, due + TimeSpan.FromHours(1)), (kept.Delivered, kept.Kept, kept.KeptUntil));
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(lanes, _time);
        }

        _time.Advance(TimeSpan.FromSeconds(1.9));
        await engine.SettleAsync();
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
        _time.Advance(TimeSpan.FromSeconds(0.1));

        Assert.Equal("1", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Delayed_signals_arrive_in_order_of_their_due_times()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Definitions.WaitTwice);
        var started = await engine.StartAsync("waitTwice", """{ "id": "a" }""", "a");
        await engine.SignalAsync("go", "a", "\"second\"", dueAt: _time.GetUtcNow().AddSeconds(9));
        Assert.True(
            (await engine.SignalAsync("go", "a", "\"first\"", dueAt: _time.GetUtcNow().AddSeconds(-9))).Delivered);

        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal("[\"first\",\"second\"]", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Signal_without_a_taker_expires_and_is_reported_once(bool restart)
    {
        var options = new WorkflowEngineOptions { Lanes = 2, SignalTimeToLive = TimeSpan.FromMinutes(5) };
        var engine = await EngineAsync(options, _time).WithAsync(Definitions.WaitForGo);
        await engine.SignalAsync("go", "a", "1");
        await engine.SignalAsync("go", "b", "2", dueAt: _time.GetUtcNow().AddMinutes(2));
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(options, _time);
        }

        _time.Advance(TimeSpan.FromMinutes(5));
        var first = await engine.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        Assert.Equal(("go", "a"), (first[0].Name, first[0].CorrelationKey));
        Assert.Contains("00:05:00", first[0].Reason, StringComparison.Ordinal);
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);

        _time.Advance(TimeSpan.FromMinutes(2));
        await engine.Events.WaitAsync<SignalExpired>(2, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        Assert.Equal(InstanceState.Waiting, started.State);
    }

    [Fact]
    public async Task Receiver_gets_a_signal_once_it_is_durable()
    {
        Assert.SkipWhen(
            Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var received = new ConcurrentQueue<(string Key, string Payload)>();
        var receiver = new SignalReceiver
        {
            Name = "work",
            ReceiveAsync = (key, payload, _) =>
            {
                received.Enqueue((key, payload.ToString()));
                return ValueTask.CompletedTask;
            },
        };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, SignalReceivers = [receiver] }, _time);

        var accepted = await engine.SignalAsync("work", "a", "1");
        Assert.Equal((false, true, null), (accepted.Delivered, accepted.Kept, accepted.KeptUntil));
        var published = await engine.Events.WaitAsync<SignalReceived>(1, _ => true, Cancel);
        await engine.IdleAsync();

        Assert.Equal(
            ("work", "a", "1"),
            (published[0].Name, published[0].CorrelationKey, published[0].Payload!.Value.GetRawText()));
        Assert.Equal(("a", "1"), Assert.Single(received));
        Assert.Equal(2, engine.Engine.Statistics.Flushes);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Receiver_consumes_each_due_signal_once()
    {
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 2, SignalReceivers = [new() { Name = "work" }] }, _time);
        var due = _time.GetUtcNow().AddSeconds(2);
        await Task.WhenAll(Enumerable.Range(0, 50).Select(i => engine.SignalAsync("work", $"k{i}", dueAt: due)));
        Assert.Equal(50, engine.Engine.Statistics.BufferedSignals);
        Assert.Empty(engine.Events.Of<SignalReceived>());

        _time.Advance(TimeSpan.FromSeconds(2));
        var published = await engine.Events.WaitAsync<SignalReceived>(50, _ => true, Cancel);
        await engine.IdleAsync();

        Assert.Equal(50, published.Select(e => e.CorrelationKey).Distinct().Count());
        Assert.All(published, e => Assert.Equal(due, e.DueAt));
        Assert.Equal(50, engine.Events.Of<SignalReceived>().Count);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Receiver_is_called_again_after_a_failure_and_a_restart()
    {
        var calls = new ConcurrentQueue<string>();
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await EngineAsync(Receiving(async token =>
        {
            calls.Enqueue("first life");
            entered.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
        }));
        await first.SignalAsync("work", "a", "1");
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
        await first.DisposeAsync();
        Assert.Empty(first.Events.Of<SignalReceived>());

        var second = await EngineAsync(Receiving(_ =>
        {
            calls.Enqueue("second life");
            return calls.Count < 3 ? throw new InvalidOperationException("not yet") : Task.CompletedTask;
        }));
        await second.Events.WaitAsync<SignalReceived>(1, _ => true, Cancel);
        await second.IdleAsync();

        Assert.Equal(["first life", "second life", "second life"], calls);
        Assert.Single(second.Events.Of<SignalReceived>());
        await second.DisposeAsync();

        var third = await EngineAsync(
            Receiving(_ => Task.FromException(new InvalidOperationException("it was consumed already"))));
        await third.IdleAsync();
        Assert.Equal(0, third.Engine.Statistics.BufferedSignals);
    }

    private static WorkflowEngineOptions Receiving(Func<CancellationToken, Task> receive) => new()
    {
        Lanes = 1,
        SignalReceivers = [new() { Name = "work", ReceiveAsync = async (_, _, token) => await receive(token) }],
    };
}
