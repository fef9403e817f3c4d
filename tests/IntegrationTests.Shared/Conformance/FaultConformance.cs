namespace IntegrationTests.Shared.Conformance;

/// <summary>Failed flushes, lost answers and outages lose no acknowledged work and repeat none.</summary>
public abstract class FaultConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(1), InlineData(2)]
    public async Task Poison_command_fails_alone_among_two_hundred(int lanes)
    {
        var store = new FaultyStore(Open()) { IsPoison = row => row.Body.Contains("poison", StringComparison.Ordinal) };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes }, store: store)
            .WithAsync(Definitions.WaitForGo);

        var outcomes = await Task.WhenAll(Enumerable.Range(0, 200).Select(async i =>
        {
            try
            {
                return (await engine.StartAsync(
                    "waitForGo", $$"""{ "id": "p{{i}}", "note": "{{(i % 67 == 5 ? "poison" : "fine")}}" }""")).Id;
            }
            catch (CommandRejectedException error)
            {
                Assert.Contains("waitForGo", error.Message, StringComparison.Ordinal);
                return Guid.Empty;
            }
        }));

        Assert.Equal(3, outcomes.Count(o => o == Guid.Empty));
        var signals = await Task.WhenAll(
            Enumerable.Range(0, 200).Select(i => engine.SignalAsync("go", $"p{i}", $"{i}")));
        var completed = await engine.Events.WaitAsync<InstanceCompleted>(197, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(
            Enumerable.Range(0, 200).Where(i => i % 67 != 5),
            completed.Select(e => e.Output!.Value.GetInt32()).Order());
        var statistics = engine.Engine.Statistics;
        Assert.Equal(
            (197, 197, 200, 3),
            (statistics.Started, statistics.Completed, statistics.Signals, statistics.RejectedCommands));
        Assert.Equal(0, statistics.LaneReloads);
        Assert.Equal((0, 3, 0), (statistics.LiveInstances, statistics.BufferedSignals, statistics.PendingCommands));
    }

    [Fact]
    public async Task Lane_whose_batch_is_refused_does_not_hold_up_the_others()
    {
        var store = new FaultyStore(Open()) { IsPoison = row => row.Body.Contains("poison", StringComparison.Ordinal) };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 8 }, store: store)
            .WithAsync(Definitions.WaitForGo);
        var hold = store.HoldFlushes();
        var poison = engine.StartAsync("waitForGo", """{ "id": "p", "note": "poison" }""", "p");
        await store.Held;
        var others = Enumerable.Range(0, 100)
            .Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")).ToArray();

        hold.Release();

        await Task.WhenAll(others);
        await Assert.ThrowsAsync<CommandRejectedException>(() => poison);
        await engine.IdleAsync();
        var statistics = engine.Engine.Statistics;
        Assert.Equal((100, 1, 0), (statistics.Started, statistics.RejectedCommands, statistics.LaneReloads));
    }

    [Fact]
    public async Task Activity_with_a_poison_result_is_not_called_forever()
    {
        var calls = 0;
        var store = new FaultyStore(Open()) { IsPoison = row => row.Body.Contains("poison", StringComparison.Ordinal) };
        var engine = await EngineAsync(
            new WorkflowEngineOptions
            {
                Lanes = 1,
                Activities = [TestActivities.Of("work", (_, _) =>
                {
                    Interlocked.Increment(ref calls);
                    return new(Value.From("poison"));
                })],
            },
            store: store);
        await engine.RegisterAsync(
            """
            { "name": "work", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "work", "result": "r", "onError": "sorry", "next": "done" },
              "sorry": { "type": "end", "output": "sorry" }, "done": { "type": "end", "output": "done" } } }
            """);

        var started = await engine.StartAsync("work");

        Assert.Equal("\"sorry\"", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(1, calls);
        Assert.Equal(1, engine.Engine.Statistics.RejectedCommands);
    }

    [Theory]
    [InlineData(1, 1, false)]
    [InlineData(1, 2, true)]
    [InlineData(2, 2, false)]
    [InlineData(2, 5, true)]
    public async Task Repeated_flush_failures_lose_nothing(int lanes, int every, bool afterCommit)
    {
        const int Count = 60;
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes, MaxBatchCommands = 7 }, store: store);
        await engine.RegisterAsync(Definitions.WaitForGo);
        // Each failure only as often as the engine tries a command: every one may fail, but not for ever.
        store.Plan(n => every == 1 ? n % 3 != 0 ? new(FlushFailure.Unavailable, afterCommit) : null
            : n % every == 0 ? new(FlushFailure.Unavailable, afterCommit) : null);

        var load = new IdempotentLoad(engine);
        await load.StartsAsync("waitForGo", Count, Cancel);
        await load.SignalsAsync("go", Count, Cancel);

        var completed = await engine.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        Assert.Equal(Count, engine.Events.Seen.Select(e => e.Event.Id).Distinct().Count());
        Assert.Equal(Count, engine.Events.Seen.Count);
        var statistics = engine.Engine.Statistics;
        Assert.Equal(
            (Count, Count, 0, 0),
            (statistics.Started, statistics.Completed, statistics.LiveInstances, statistics.BufferedSignals));
        Assert.True(statistics.FailedFlushes > 0);
    }

    [Theory]
    [InlineData(1, false), InlineData(2, true)]
    public async Task Crash_at_any_flush_loses_and_repeats_nothing(int lanes, bool afterCommit)
    {
        const int Count = 60;
        var acknowledged = new HashSet<Guid>();
        for (var life = 1; ; life++)
        {
            var store = new FaultyStore(Open());
            var dieAt = life * 2;
            store.Plan(n => n == dieAt ? new(FlushFailure.Unavailable, afterCommit, ThenAway: true) : null);
            var engine = await EngineAsync(
                new WorkflowEngineOptions { Lanes = lanes, MaxBatchCommands = 5, OutageTolerance = TimeSpan.Zero },
                store: store);
            await engine.RegisterAsync(Definitions.WaitForGo);
            var load = new IdempotentLoad(engine) { Attempts = 1 };
            var starts = load.StartsAsync("waitForGo", Count, Cancel);
            var signals = load.SignalsAsync("go", Count, Cancel);
            await Task.WhenAll(starts, signals);
            acknowledged.UnionWith(load.Started);
            await engine.DisposeAsync();
            if (load.Failures == 0)
            {
                Assert.True(life > 3, "it never died");
                break;
            }

            Assert.True(life < 100, "the load is never done");
        }

        // Perhaps it died behind the last acknowledgement: another engine finishes what is left.
        var last = await EngineAsync(lanes);
        var completed = await last.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await last.IdleAsync();
        Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        Assert.Equal(Count, last.Events.Seen.Select(e => e.Event.Id).Distinct().Count());
        Assert.Equal(acknowledged.Order(), completed.Select(e => e.InstanceId!.Value).Order());
        Assert.Equal((0, 0), (last.Engine.Statistics.LiveInstances, last.Engine.Statistics.BufferedSignals));
    }

    [Fact]
    public async Task Outage_within_the_tolerance_is_only_a_delay()
    {
        var store = new FaultyStore(Open());
        var options = new WorkflowEngineOptions { Lanes = 1, OutageTolerance = Eventually.Deadline };
        var engine = await EngineAsync(options, store: store).WithAsync(Definitions.WaitForGo);
        store.IsAway = true;
        var refused = store.Refused;

        var start = engine.StartAsync("waitForGo", """{ "id": "a" }""", idempotencyKey: "once");
        var signal = engine.SignalAsync("go", "a", "1");
        await refused.WaitAsync(Eventually.Deadline, Cancel);
        Assert.False(start.IsCompleted);
        Assert.False(signal.IsCompleted);
        store.IsAway = false;

        Assert.False((await start).Duplicate);
        await signal;
        Assert.Equal("1", await engine.OutputAsync((await start).Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Engine_recovers_from_an_outage_beyond_the_tolerance(bool committed)
    {
        var store = new FaultyStore(Open());
        var options = new WorkflowEngineOptions { Lanes = 2, OutageTolerance = TimeSpan.FromMilliseconds(50) };
        var engine = await EngineAsync(options, store: store).WithAsync(Definitions.WaitForGo);
        var (near, far) = (KeyIn(2), KeyIn(3));
        store.FailNext(new(FlushFailure.Unavailable, committed, ThenAway: true));

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{far}}" }""", near, "once"));
        Assert.True(error.OutcomeUnknown);
        Assert.Contains("same idempotency key", error.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreUnavailableException>(() => engine.StartAsync("waitForGo", null, near));
        store.IsAway = false;

        // The wait is on a key of the other lane: a committed batch sends its messages even without a caller.
        var load = new IdempotentLoad(engine);
        var started = await load.StartAsync("waitForGo", $$"""{ "id": "{{far}}" }""", near, "once", Cancel);
        Assert.Equal(committed, started.Duplicate);
        await engine.SignalAsync("go", far, "1");
        Assert.Equal("1", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Single((await engine.Engine.ListInstancesAsync(new(), Cancel)).Items);
        Assert.Equal(1, engine.Engine.Statistics.Started);
    }

    [Fact]
    public async Task Store_that_hangs_is_reported_in_time()
    {
        var store = new FaultyStore(Open());
        var time = new ManualTime();
        var options = new WorkflowEngineOptions { Lanes = 2, OutageTolerance = TimeSpan.FromSeconds(9) };
        var engine = await EngineAsync(options, time, store).WithAsync(Definitions.WaitForGo);
        var (here, there) = (KeyIn(2), KeyIn(3));
        var hold = store.HoldFlushes();
        var first = engine.StartAsync("waitForGo", """{ "id": "a" }""", here, "once");
        await store.Held;
        Task<InstanceStarted>[] during =
            [
                first,
                engine.StartAsync("waitForGo", """{ "id": "b" }""", there, "once"),
                engine.StartAsync("waitForGo", """{ "id": "c" }""", here),
            ];
        time.Advance(TimeSpan.FromSeconds(8));
        Assert.All(during, start => Assert.False(start.IsCompleted));

        await time.AdvanceUntilAsync(Task.WhenAll(during), TimeSpan.FromSeconds(1));

        foreach (var start in during)
        {
            Assert.True((await Assert.ThrowsAsync<StoreUnavailableException>(() => start)).OutcomeUnknown);
        }

        await Assert.ThrowsAsync<StoreUnavailableException>(() => engine.StartAsync("waitForGo", null, here));
        hold.Release();

        var load = new IdempotentLoad(engine);
        Assert.True((await load.StartAsync("waitForGo", """{ "id": "a" }""", here, "once", Cancel)).Duplicate);
        await engine.IdleAsync();
        Assert.Equal((2, 0, 0), (
            engine.Engine.Statistics.Started,
            engine.Engine.Statistics.FailedFlushes,
            engine.Engine.Statistics.LaneReloads));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Store_that_fails_and_then_hangs_is_reported_in_time(bool committed)
    {
        var store = new FaultyStore(Open());
        var time = new ManualTime();
        var options = new WorkflowEngineOptions { Lanes = 2, OutageTolerance = TimeSpan.FromSeconds(9) };
        var engine = await EngineAsync(options, time, store).WithAsync(Definitions.WaitForGo);
        var (near, far) = (KeyIn(2), KeyIn(3));
        var answers = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        store.BeforeLane = () => answers.Task;
        store.FailNext(new(FlushFailure.Unavailable, committed));
        var start = engine.StartAsync("waitForGo", $$"""{ "id": "{{far}}" }""", near, "once");

        await time.AdvanceUntilAsync(start, TimeSpan.FromSeconds(1));

        Assert.True((await Assert.ThrowsAsync<StoreUnavailableException>(() => start)).OutcomeUnknown);
        await Assert.ThrowsAsync<StoreUnavailableException>(() => engine.StartAsync("waitForGo", null, near));
        answers.SetResult();

        // The wait is on a key of the other lane: its message is not lost by the failed answer to the caller.
        var load = new IdempotentLoad(engine);
        Assert.True((await load.StartAsync("waitForGo", $$"""{ "id": "{{far}}" }""", near, "once", Cancel)).Duplicate);
        await engine.IdleAsync();
        await engine.SignalAsync("go", far, "1");
        await engine.IdleAsync();
        Assert.Equal((1, 1), (engine.Engine.Statistics.Started, engine.Engine.Statistics.Completed));
    }

    [Theory]
    [InlineData(1), InlineData(2), InlineData(3)]
    public async Task First_flush_whose_answer_is_lost_is_not_counted_twice(int events)
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store)
            .WithAsync(Definitions.Empty);
        store.FailNext(new(FlushFailure.Unavailable, AfterCommit: true));

        for (var i = 0; i < events; i++)
        {
            await engine.StartAsync("empty");
        }

        await engine.Events.WaitAsync<InstanceCompleted>(events, _ => true, Cancel);
        Assert.Equal(Enumerable.Range(1, events).Select(i => $"0-{i}"), engine.Events.Seen.Select(e => e.Event.Id));
        Assert.Equal(events, engine.Events.Seen[^1].Position[0]);
        Assert.Equal(events, engine.Engine.Statistics.Completed);
    }

    [Fact]
    public async Task Publishing_survives_an_outage_while_it_reads_old_events()
    {
        var store = new FaultyStore(Open());
        var publisher = new GatedPublisher();
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, EventWindow = 1, Publishers = [publisher] }, store: store);
        await engine.RegisterAsync(Definitions.Empty);
        await engine.StartAsync("empty");
        await publisher.Entered.WaitAsync(Eventually.Deadline, Cancel);
        for (var i = 0; i < 4; i++)
        {
            await engine.StartAsync("empty");
        }

        store.IsAway = true;
        var refused = store.Refused;
        publisher.Open();
        await refused.WaitAsync(Eventually.Deadline, Cancel);
        store.IsAway = false;

        await engine.IdleAsync();
        Assert.Equal(["0-1", "0-2", "0-3", "0-4", "0-5"], publisher.Taken.Distinct());
    }

    private sealed class GatedPublisher : IEventPublisher
    {
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ConcurrentQueue<string> _taken = new();

        public Task Entered => _entered.Task;
        public IReadOnlyCollection<string> Taken => _taken;

        public void Open() => _opened.SetResult();

        public async Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            _entered.TrySetResult();
            await _opened.Task.WaitAsync(cancellationToken);
            _taken.Enqueue(integrationEvent.Id);
        }
    }
}
