using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Lanes move between nodes in order, after a crash, and from an owner that does not know it yet.</summary>
public abstract class NodeMoveConformance<TStores>(TStores stores) : ClusterConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Node_that_stops_hands_its_lanes_over_at_once()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var started = await Task.WhenAll(Enumerable.Range(0, 40)
            .Select(i => (i % 2 == 0 ? first : second).StartAsync("waitForGo", $$"""{ "id": "m{{i}}" }""", $"m{i}")));

        await first.DisposeAsync();

        await Eventually.HoldsAsync(() => Owned(second).Count == 4, "the other node has all lanes");
        Assert.Equal((1, 0), (second.Engine.Statistics.Cluster!.LiveNodes, second.Engine.Statistics.Cluster.LanesLost));
        await Task.WhenAll(Enumerable.Range(0, 40).Select(i => second.SignalAsync("go", $"m{i}", $"{i}")));
        foreach (var instance in started)
        {
            await second.Events.CompletedAsync(instance.Id, Cancel);
        }
    }

    [Fact]
    public async Task Activity_that_ignores_cancellation_does_not_hold_its_lane()
    {
        var open = new TaskCompletionSource<Value>(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await WorkerAsync("first");
        await first.RegisterAsync(
            """
            { "name": "invoke", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "work", "result": "r", "next": "done" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await Task.WhenAll(
            Enumerable.Range(0, 20).Select(i => first.StartAsync("invoke", "{}", $"w{i}")));

        var second = await WorkerAsync("second");
        await Eventually.HoldsAsync(() => Owned(first).Count == 2 && Owned(second).Count == 2, "the lanes are divided");

        open.SetResult(Value.From(7));
        foreach (var instance in started)
        {
            Assert.Equal("7", await second.OutputAsync(instance.Id));
        }

        async Task<EngineSession> WorkerAsync(string name) => await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 4,
            Activities = [TestActivities.Of("work", async (_, _) => await open.Task)],
            Cluster = Named(name) with { Notifier = await NotifierAsync() },
        });
    }

    [Fact]
    public async Task In_flight_integral_does_not_fall_when_lanes_leave()
    {
        var first = await NodeAsync("first", 4);
        await first.RegisterAsync(Definitions.WaitForGo);
        await Task.WhenAll(
            Enumerable.Range(0, 40).Select(i => first.StartAsync("waitForGo", $$"""{ "id": "i{{i}}" }""", $"i{i}")));
        List<double> read = [];

        var coming = NodeAsync("second", 4);
        await Eventually.HoldsAsync(
            () =>
            {
                read.Add(first.Engine.Statistics.InFlightSeconds);
                return Owned(first).Count == 2;
            },
            "the node has given lanes to the other");
        var second = await coming;
        await Eventually.HoldsAsync(() => Owned(second).Count == 2, "the other has them");
        read.Add(first.Engine.Statistics.InFlightSeconds);
        await first.DisposeAsync();
        read.Add(first.Engine.Statistics.InFlightSeconds);

        Assert.Equal(read.Order(), read);
        Assert.Equal(read[^1], first.Engine.Statistics.InFlightSeconds);
    }

    [Fact]
    public async Task Failed_and_suspended_instances_continue_after_a_takeover()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var (a, b) = (KeyOf(first, 4, "a"), KeyOf(first, 4, "b"));
        var failed = await first.StartAsync("waitForGo", key: a);
        var suspended = await first.StartAsync("waitForGo", $$"""{ "id": "{{b}}" }""", key: b);
        await first.SuspendAsync(suspended.Id);
        await first.SignalAsync("go", b, "2");

        await first.DisposeAsync();

        await Eventually.HoldsAsync(() => Owned(second).Count == 4, "the other node has all lanes");
        await second.RetryAsync(failed.Id, $$"""{ "id": "{{a}}" }""");
        await second.SignalAsync("go", a, "1");
        await second.ResumeAsync(suspended.Id);
        Assert.Equal(["1", "2"], [await second.OutputAsync(failed.Id), await second.OutputAsync(suspended.Id)]);
        await second.IdleAsync();
        Assert.Equal((2, 0), (second.Engine.Statistics.Completed, second.Engine.Statistics.LiveInstances));
    }

    [Fact]
    public async Task Commands_succeed_while_nodes_come_and_go()
    {
        const int Count = 75;
        var steady = await NodeAsync("steady", 4);
        await steady.RegisterAsync(Definitions.WaitForGo);
        using var enough = new CancellationTokenSource();
        var coming = Task.Run(
            async () =>
            {
                for (var i = 0; !enough.IsCancellationRequested; i++)
                {
                    var guest = await NodeAsync($"guest {i}", 4);
                    await guest.StartAsync("waitForGo", $$"""{ "id": "guest {{i}}" }""");
                    await guest.DisposeAsync();
                }
            },
            Cancel);

        for (var i = 0; i < Count; i++)
        {
            var started = await steady.StartAsync("waitForGo", $$"""{ "id": "w{{i}}" }""", $"w{i}");
            Assert.NotEqual(Guid.Empty, started.Id);
            await steady.SignalAsync("go", $"w{i}", $"{i}");
        }

        await enough.CancelAsync();
        await coming;
        var completed = await steady.Events.WaitAsync<InstanceCompleted>(Count, e => e.Output is not null, Cancel);
        Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
    }

    [Fact]
    public async Task Next_owner_continues_publishing_where_the_former_stopped()
    {
        var (firsts, seconds) = (new Recorder(), new Recorder());
        var first = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 2, Cluster = Named("first"), Publishers = [firsts] });
        await first.RegisterAsync(Definitions.Empty);
        await Task.WhenAll(Enumerable.Range(0, 20).Select(i => first.StartAsync("empty", key: $"p{i}")));
        await first.IdleAsync();
        var second = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 2, Cluster = Named("second"), Publishers = [seconds] });
        await Eventually.HoldsAsync(() => Owned(first).Count == 1 && Owned(second).Count == 1, "the lanes are divided");
        await Task.WhenAll(Enumerable.Range(20, 20).Select(i => first.StartAsync("empty", key: $"p{i}")));
        await Task.WhenAll(first.IdleAsync(), second.IdleAsync());

        await first.DisposeAsync();
        await Eventually.HoldsAsync(() => Owned(second).Count == 2, "the other node has all lanes");
        await Task.WhenAll(Enumerable.Range(40, 20).Select(i => second.StartAsync("empty", key: $"p{i}")));
        await second.IdleAsync();

        Assert.NotEmpty(seconds.Taken);
        var published = firsts.Taken.Concat(seconds.Taken).ToArray();
        Assert.Equal(60, published.Length);
        var completed = await second.Events.WaitAsync<InstanceCompleted>(60, _ => true, Cancel);
        Assert.Equal(
            completed.Select(e => e.Id).Order(StringComparer.Ordinal), published.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Owner_that_slept_past_its_lease_commits_nothing()
    {
        var sleeper = await SleeperAsync(2, new ManualTime());
        await sleeper.RegisterAsync(Definitions.WaitForGo);
        var started = await sleeper.StartAsync("waitForGo", """{ "id": "a" }""", "a");
        var second = await NodeAsync("second", 2);
        await Eventually.HoldsAsync(
            () => Owned(second).Count == 2, "the lease is over and the other node has the lanes");

        // The node believes that it owns the lane. Its flush is refused, and no caller is answered from its memory.
        await sleeper.SignalAsync("go", "a", "1");
        await sleeper.StartAsync("waitForGo", """{ "id": "b" }""", "b");

        Assert.Equal("1", await second.OutputAsync(started.Id));
        await second.IdleAsync();
        Assert.Equal(0, sleeper.Engine.Statistics.Completed);
        Assert.Equal(1, sleeper.Engine.Statistics.Started);
        Assert.Equal((1, 1), (second.Engine.Statistics.Started, second.Engine.Statistics.Completed));
        Assert.True(sleeper.Engine.Statistics.Cluster!.LanesLost > 0);
        Assert.Equal(2, (await second.Engine.ListInstancesAsync(new(), Cancel)).Items.Count);
    }

    [Fact]
    public async Task Flush_in_flight_when_the_lane_moves_is_refused()
    {
        var store = new FaultyStore(Open());
        var sleeper = await SleeperAsync(1, new ManualTime(), store);
        await sleeper.RegisterAsync(Definitions.WaitById);
        Task<InstanceStarted>[] starts;
        EngineSession second;
        using (var hold = store.HoldFlushes())
        {
            starts = [.. Enumerable.Range(0, 10).Select(i => sleeper.StartAsync("waitById", key: $"h{i}"))];
            await store.Held.WaitAsync(Eventually.Deadline, Cancel);
            second = await NodeAsync("second", 1);
            await Eventually.HoldsAsync(() => Owned(second).Count == 1, "the lane has moved");
            hold.Release();
        }

        var answered = await Task.WhenAll(starts);

        Assert.All(answered, a => Assert.False(a.Duplicate));

        // Answers are read from the store, and may be there before their own node has counted.
        await second.IdleAsync();
        Assert.Equal((0, 10), (sleeper.Engine.Statistics.Started, second.Engine.Statistics.Started));
        Assert.Equal(
            answered.Select(a => a.Id).Order(),
            (await second.Engine.ListInstancesAsync(new(), Cancel)).Items.Select(i => i.Id).Order());
    }

    [Fact]
    public async Task Node_past_its_lease_asks_the_store_before_it_answers()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var sleeper = await SleeperAsync(1, time, store);
        await sleeper.RegisterAsync(Definitions.WaitById);
        var unknown = Partitioning.NewInstanceId(Guid.CreateVersion7(time.GetUtcNow()), null);
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => sleeper.Engine.CancelAsync(unknown, Cancel));
        Assert.Equal(0, store.Flushes);

        var late = await NodeAsync("late", 1);
        await Eventually.HoldsAsync(() => Owned(late).Count == 1, "the lane has moved");
        var known = await late.StartAsync("waitById");

        // Its memory knows no such instance, and its lease is over by its own clock: it asks before it says so.
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.False((await sleeper.Engine.CancelAsync(known.Id, Cancel)).Duplicate);
        Assert.Equal(InstanceState.Cancelled, (await late.ViewAsync(known.Id)).State);
    }

    [Fact]
    public async Task Command_with_a_late_answer_has_an_unknown_outcome()
    {
        var store = new FaultyStore(Open());
        var owner = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Cluster = Named("owner") }, store: store)
            .WithAsync(Definitions.WaitById);
        var second = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1,
            Cluster = Named("second") with { AnswerTimeout = TimeSpan.FromMilliseconds(300) },
        });

        using (store.HoldFlushes())
        {
            var error = await Assert.ThrowsAsync<StoreUnavailableException>(
                () => second.StartAsync("waitById", key: "a", idempotencyKey: "once"));
            Assert.True(error.OutcomeUnknown);
            Assert.Contains("same idempotency key", error.Message, StringComparison.Ordinal);
        }

        var again = await owner.StartAsync("waitById", key: "a", idempotencyKey: "once");

        Assert.Equal(again.Id, Assert.Single((await second.Engine.ListInstancesAsync(new(), Cancel)).Items).Id);
        Assert.Equal((0, 0), (owner.Engine.Statistics.FailedFlushes, owner.Engine.Statistics.LaneReloads));
    }

    [Fact]
    public async Task Another_number_of_lanes_is_refused_beside_a_live_node()
    {
        var first = await NodeAsync("first", 3);
        await first.RegisterAsync(Definitions.WaitForGo);
        var started = await Task.WhenAll(
            Enumerable.Range(0, 12).Select(i => first.StartAsync("waitForGo", $$"""{ "id": "n{{i}}" }""", $"n{i}")));

        var error = await Assert.ThrowsAsync<LaneCountMismatchException>(() => NodeAsync("second", 2));
        Assert.Contains("first", error.Message, StringComparison.Ordinal);

        await first.DisposeAsync();
        var second = await NodeAsync("second", 2);
        await Task.WhenAll(Enumerable.Range(0, 12).Select(i => second.SignalAsync("go", $"n{i}", $"{i}")));
        foreach (var instance in started)
        {
            await second.Events.CompletedAsync(instance.Id, Cancel);
        }
    }

    private sealed class Recorder : IEventPublisher
    {
        private readonly ConcurrentQueue<string> _taken = new();

        public IReadOnlyCollection<string> Taken => _taken;

        public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            _taken.Enqueue(integrationEvent.Id);
            return Task.CompletedTask;
        }
    }
}
