namespace IntegrationTests.Shared.Conformance;

/// <summary>A request to any node has one effect, and every node shows it.</summary>
public abstract class NodeConformance<TStores>(TStores stores) : ClusterConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Review =
        """{ "name": "review", "version": 1, "start": "check", "steps": { "check": { "type": "task", "result": "r", "next": "done" }, "done": { "type": "end", "output": "= r" } } }""";

    [Fact]
    public async Task Every_node_serves_every_key_and_shows_every_event()
    {
        const int Count = 120;
        var (first, second) = await TwoAsync();
        EngineSession[] nodes = [first, second];
        await first.RegisterAsync(Definitions.WaitForGo);

        var started = await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            nodes[i % 2].StartAsync("waitForGo", $$"""{ "id": "s{{i}}" }""", key: i % 3 == 0 ? $"s{i}" : null)));
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i => nodes[i / 2 % 2].SignalAsync("go", $"s{i}", $"{i}")));

        foreach (var node in nodes)
        {
            var completed = await node.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
            Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
            Assert.Equal(started.Select(s => s.Id).Order(), completed.Select(e => e.InstanceId!.Value).Order());
        }

        // Events are read from the store, and may be there before their own node has counted.
        await Task.WhenAll(nodes.Select(n => n.IdleAsync()));
        Assert.Equal(Count, nodes.Sum(n => n.Engine.Statistics.Started));
        Assert.Equal(Count, nodes.Sum(n => n.Engine.Statistics.Completed));
        Assert.Equal(Count, nodes.Sum(n => n.Engine.Statistics.SignalsConsumed));
        Assert.All(nodes, n => Assert.True(n.Engine.Statistics.Started > 0));
        Assert.All(
            nodes, n => Assert.True(
                n.Engine.Statistics.Cluster is { LiveNodes: 2, Forwarded: > 0, InboxTaken: > 0, LanesLost: 0 },
            n.Engine.Statistics.ToString()));
    }

    [Fact]
    public async Task Start_without_a_key_stays_at_the_node_that_it_reached()
    {
        var (first, second) = await TwoAsync();
        await second.RegisterAsync(Definitions.WaitById);

        var started = await Task.WhenAll(
            Enumerable.Range(0, 20)
                .Select(i => first.StartAsync("waitById", idempotencyKey: i % 2 == 0 ? $"i{i}" : null)));

        Assert.Equal((20, 0), (first.Engine.Statistics.LiveInstances, first.Engine.Statistics.Cluster!.Forwarded));
        foreach (var instance in started)
        {
            Assert.Equal(InstanceState.Waiting, (await second.ViewAsync(instance.Id)).State);
        }
    }

    [Fact]
    public async Task Idempotency_keys_hold_across_nodes()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitTwice);
        var key = KeyOf(second, 4);
        var starts = new List<InstanceStarted>();
        foreach (var node in new[] { first, second, first, second })
        {
            starts.Add(await node.StartAsync("waitTwice", $$"""{ "id": "{{key}}" }""", key, "once"));
        }

        Assert.Single(starts.Select(s => s.Id).Distinct());
        Assert.Equal(3, starts.Count(s => s.Duplicate));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => first.StartAsync("waitTwice", "{}", key, "once"));

        var signals = await Task.WhenAll(
            Enumerable.Range(0, 20).Select(i => (i % 2 == 0 ? first : second).SignalAsync("go", key, "1", "one")));
        Assert.Single(signals.Select(s => s.Id).Distinct());
        Assert.Equal(19, signals.Count(s => s.Duplicate));
        foreach (var node in new[] { first, second })
        {
            await Assert.ThrowsAsync<IdempotencyConflictException>(() => node.SignalAsync("go", key, "2", "one"));
        }

        await first.SignalAsync("go", key, "2", "two");
        Assert.Equal("[1,2]", await second.OutputAsync(starts[0].Id));
    }

    [Fact]
    public async Task Instance_waits_for_a_key_that_lives_on_another_node()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var there = KeyOf(second, 4);
        var waiting = await first.StartAsync("waitForGo", $$"""{ "id": "{{there}}" }""");
        var early = KeyOf(second, 4, "early");
        await first.SignalAsync("go", early, "2");
        var late = await first.StartAsync("waitForGo", $$"""{ "id": "{{early}}" }""");

        await second.SignalAsync("go", there, "1");

        Assert.Equal("1", await second.OutputAsync(waiting.Id));
        Assert.Equal("2", await first.OutputAsync(late.Id));
    }

    [Fact]
    public async Task Commands_by_id_reach_the_owner_and_return_its_answer()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Review);
        await first.RegisterAsync(Definitions.WaitById);
        var reviewed = await first.StartAsync("review");
        var task = (await second.Engine.ListTasksAsync(new(), Cancel)).Items.Single();

        Assert.Equal("ann", (await second.Engine.AssignTaskAsync(task.Id, "ann", Cancel)).Assignee);
        Assert.False((await second.Engine.AssignTaskAsync(task.Id, "eve", "a", Cancel)).Duplicate);
        await second.Engine.AssignTaskAsync(task.Id, "ann", Cancel);
        var assignedAgain = await second.Engine.AssignTaskAsync(task.Id, "eve", "a", Cancel);
        Assert.Equal(
            (reviewed.Id, "ann", true), (assignedAgain.InstanceId, assignedAgain.Assignee, assignedAgain.Duplicate));
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => second.Engine.AssignTaskAsync(task.Id, "bob", "a", Cancel));
        var completed = await second.Engine.CompleteTaskAsync(
            new() { TaskId = task.Id, Output = Workflow.Abstractions.Value.Parse("7"), IdempotencyKey = "c" }, Cancel);
        Assert.Equal((TaskState.Completed, false), (completed.State, completed.Duplicate));
        Assert.True((await second.Engine.CompleteTaskAsync(
            new() { TaskId = task.Id, Output = Workflow.Abstractions.Value.Parse("7"), IdempotencyKey = "c" },
            Cancel)).Duplicate);
        await Assert.ThrowsAsync<TaskClosedException>(() => second.Engine.AssignTaskAsync(task.Id, "bob", Cancel));
        Assert.Equal("7", await second.OutputAsync(reviewed.Id));

        var waiting = await first.StartAsync("waitById");
        var accepted = await second.SignalAsync("go", waiting.Id, "3");
        Assert.False(accepted.Duplicate);
        Assert.Equal("3", await second.OutputAsync(waiting.Id));
        await Assert.ThrowsAsync<InstanceFinishedException>(() => second.SignalAsync("go", waiting.Id, "4"));

        var cancelled = await first.StartAsync("waitById");
        Assert.False((await second.Engine.CancelAsync(cancelled.Id, Cancel)).Duplicate);
        Assert.True((await second.Engine.CancelAsync(cancelled.Id, Cancel)).Duplicate);
        Assert.Equal(InstanceState.Cancelled, (await second.ViewAsync(cancelled.Id)).State);
        var nobody = cancelled.Id.ToByteArray(bigEndian: true);
        nobody[0] ^= 1;
        var unknown = new Guid(nobody, bigEndian: true);
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => second.Engine.CancelAsync(unknown, Cancel));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => second.SignalAsync("go", unknown));
    }

    [Fact]
    public async Task Suspension_and_retry_reach_the_owner()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var key = KeyOf(second, 4);
        var id = (await first.StartAsync("waitForGo")).Id;

        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: false),
            await second.RetryAsync(id, $$"""{ "id": "{{key}}" }""", "once"));
        Assert.True((await second.RetryAsync(id, $$"""{ "id": "{{key}}" }""", "once")).Duplicate);
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => second.RetryAsync(id, null, "once"));
        Assert.Equal("waiting", (await Assert.ThrowsAsync<InstanceStateException>(() => second.RetryAsync(id))).State);
        Assert.Equal(new(id, InstanceState.Suspended, Duplicate: false), await second.SuspendAsync(id));
        Assert.True((await second.SuspendAsync(id)).Duplicate);
        await first.SignalAsync("go", key, "1");
        await Eventually.BecomesAsync(
            () => second.ViewAsync(id), view => view.Waits is [{ Ended: true }],
            _ => "the signal that comes to the suspended instance");
        Assert.False((await second.ResumeAsync(id)).Duplicate);

        Assert.Equal("1", await second.OutputAsync(id));
        await Assert.ThrowsAsync<InstanceStateException>(() => second.SuspendAsync(id));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => second.RetryAsync(Guid.NewGuid()));
    }

    [Fact]
    public async Task Owner_with_a_hung_server_takes_no_more_than_its_capacity()
    {
        const int Count = 300;
        var store = new FaultyStore(Open());
        var owner = await EngineAsync(
            new WorkflowEngineOptions
                { Lanes = 1, Cluster = Named("owner"), Limits = new() { MaxPendingSize = 10_000 } }, store: store);

        // The node of the lower id has the only lane, and ids of one millisecond are in no order.
        await Task.Delay(TimeSpan.FromMilliseconds(5), Cancel);
        var other = await NodeAsync("other", lanes: 1);
        await Eventually.HoldsAsync(() => Owned(owner) is [0],
            "the first node has the lane, again if its lease ran out while the other joined");
        var payload = $"\"{new string('x', 4_000)}\"";

        using (var hold = store.HoldFlushes())
        {
            await Task.WhenAll(Enumerable.Range(0, Count).Select(i => other.SignalAsync("go", $"k{i}", payload)));
            await Eventually.HoldsAsync(
                () => owner.Engine.Statistics.Cluster!.InboxTaken > 0, "the owner reads its inbox");
            await Task.Delay(10 * Named("owner").InboxInterval, Cancel);
            Assert.InRange(owner.Engine.Statistics.Cluster!.InboxTaken, 1, 100);
            hold.Release();
        }

        await Eventually.HoldsAsync(
            () => owner.Engine.Statistics.BufferedSignals == Count, "every signal is taken in the end");
    }

    [Fact]
    public async Task Start_and_signal_at_another_node_are_one_trace()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var key = KeyOf(second, 4);
        using var trace = new RecordedTrace();

        var started = await first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key);
        await first.SignalAsync("go", key, "1");
        var completed = await first.Events.CompletedAsync(started.Id, Cancel);

        var spans = await trace.EndedAsync("start waitForGo", "signal go", "resume waitForGo");
        Assert.Equal(spans["start waitForGo"].Id, completed.TraceParent);
        Assert.Equal(spans["signal go"].SpanId, spans["resume waitForGo"].ParentSpanId);
        await second.IdleAsync();
        Assert.Equal(1, second.Engine.Statistics.Completed);
    }

    [Fact]
    public async Task Definition_registered_at_one_node_is_known_to_the_others()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.Empty);

        Assert.Equal(InstanceState.Completed, (await second.StartAsync("empty")).State);

        Assert.False((await second.RegisterAsync(Definitions.Empty)).Created);
        await Eventually.HoldsAsync(() => second.Engine.ListDefinitions().Count == 1, "the definition is listed");
    }

    [Fact]
    public async Task Node_reads_each_definition_of_another_once()
    {
        const int Before = 3;
        var read = new ConcurrentQueue<long>();
        var first = await NodeAsync("first", lanes: 2);
        for (var i = 0; i < Before; i++)
        {
            await first.RegisterAsync(Numbered(i));
        }

        var store = new FaultyStore(Open())
        {
            AfterDefinitions = rows =>
            {
                rows.ToList().ForEach(row => read.Enqueue(row.Number));
                return Task.CompletedTask;
            },
        };
        var second =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 2, Cluster = Named("second") }, store: store);
        for (var i = Before; i < 2 * Before; i++)
        {
            await first.RegisterAsync(Numbered(i));
            await Eventually.HoldsAsync(
                () => second.Engine.ListDefinitions().Count == i + 1, "the definition is listed");
        }

        Assert.Equal([1L, 2L, 3L, 4L, 5L, 6L], read);

        static string Numbered(int i) => Definitions.Empty.Replace("empty", $"empty{i}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Delayed_signal_accepted_by_another_node_is_delivered()
    {
        var (first, second) = await TwoAsync();
        await first.RegisterAsync(Definitions.WaitForGo);
        var key = KeyOf(second, 4);
        var due = TimeProvider.System.GetUtcNow().AddSeconds(1);
        await first.SignalAsync("go", key, "5", dueAt: due);
        var started = await first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key);

        var completed = await first.Events.CompletedAsync(started.Id, Cancel);

        Assert.True(completed.Timestamps.ExecutedUtc >= due);
    }
}
