using Workflow.Contracts.Signals;
using Workflow.Engine.Configuration;

namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// Instances that wait leave memory, and whatever they wait for brings them back. For stores with dormant instances.
/// </summary>
public abstract class ResidencyConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Inner =
        """
        { "name": "inner", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": { "answer": "= answer" } } } }
        """;

    private const string Outer =
        """
        { "name": "outer", "version": 1, "start": "sub", "steps": {
          "sub": { "type": "call", "definition": "inner", "input": { "id": "= id" }, "result": "given", "next": "done" },
          "done": { "type": "end", "output": "= given" } } }
        """;

    private const string Ask =
        """
        { "name": "ask", "version": 1, "start": "ask", "steps": {
          "ask": { "type": "task", "result": "decision", "next": "done" },
          "done": { "type": "end", "output": "= decision" } } }
        """;

    private const string Either =
        """
        { "name": "either", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "open", "result": "a", "next": "second" },
          "second": { "type": "waitSignal", "signal": "close", "result": "b", "next": "done" },
          "done": { "type": "end", "output": [ "= a", "= b" ] } } }
        """;

    private static readonly ResidencyOptions AtOnce = new() { IdleTime = TimeSpan.Zero };

    [Fact]
    public async Task Signal_by_key_wakes_a_dormant_instance()
    {
        var engine = await StartedAsync(AtOnce, 1, Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await ResidentsFallAsync(engine, 0);
        Assert.Equal((1, 0), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.Wakeups));

        var accepted = await engine.SignalAsync("go", "k", "7");

        Assert.True(accepted.Delivered);
        Assert.Equal("7", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal((0, 1), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.Wakeups));
    }

    [Fact]
    public async Task Dormant_instance_is_seen_by_queries()
    {
        var engine = await StartedAsync(AtOnce, 1, Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await ResidentsFallAsync(engine, 0);

        var view = await engine.ViewAsync(started.Id);
        var page = await engine.Engine.ListInstancesAsync(new() { State = InstanceState.Waiting }, Cancel);

        Assert.Equal((InstanceState.Waiting, "wait"), (view.State, Assert.Single(view.Waits).Step));
        Assert.Equal(started.Id, Assert.Single(page.Items).Id);
        Assert.Equal(["started wait", "waiting wait"], await engine.HistoryAsync(started.Id));
    }

    [Fact]
    public async Task Limit_keeps_the_instances_that_were_used_last()
    {
        var engine = await StartedAsync(new() { MaxInstances = 4 }, 1, Definitions.WaitForGo);
        for (var i = 0; i < 20; i++)
        {
            await engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}");
        }

        await ResidentsFallAsync(engine, 4);
        Assert.Equal(20, engine.Engine.Statistics.LiveInstances);
        await engine.SignalAsync("go", "19", "1");
        Assert.Equal(0, engine.Engine.Statistics.Wakeups);
        await engine.SignalAsync("go", "0", "1");
        Assert.Equal(1, engine.Engine.Statistics.Wakeups);
    }

    [Theory]
    [InlineData(1, 1), InlineData(2, 3)]
    public async Task Restart_reads_no_dormant_instance(int lanes, int lanesAfter)
    {
        const int Count = 30;
        var before = await StartedAsync(AtOnce, lanes, Definitions.WaitForGo);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            before.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")));
        await ResidentsFallAsync(before, 0);
        await before.DisposeAsync();

        var after = await EngineAsync(new WorkflowEngineOptions { Lanes = lanesAfter });
        Assert.Equal(
            (Count, 0), (after.Engine.Statistics.LiveInstances, after.Engine.Statistics.ResidentInstances));
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i => after.SignalAsync("go", $"{i}", $"{i}")));

        var completed = await after.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        Assert.Equal(Enumerable.Range(0, Count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        await after.IdleAsync();
        Assert.Equal((0, 0), (after.Engine.Statistics.LiveInstances, after.Engine.Statistics.BufferedSignals));
    }

    [Fact]
    public async Task Older_dormant_waiter_goes_before_a_younger_one()
    {
        var engine = await StartedAsync(AtOnce, 1, Definitions.WaitForGo);
        var older = await engine.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await ResidentsFallAsync(engine, 0);
        var younger = await engine.StartAsync("waitForGo", """{ "id": "k" }""", "k");

        await engine.SignalAsync("go", "k", "1");
        await engine.SignalAsync("go", "k", "2");

        Assert.Equal(("1", "2"), (await engine.OutputAsync(older.Id), await engine.OutputAsync(younger.Id)));
    }

    [Fact]
    public async Task Needs_of_many_commands_are_read_together()
    {
        const int Count = 50;
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Residency = AtOnce }, store: store)
            .WithAsync(Definitions.WaitForGo);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")));
        await ResidentsFallAsync(engine, 0);
        var before = engine.Engine.Statistics.DormantLookUps ?? 0;
        var hold = store.HoldFlushes();
        var first = engine.StartAsync("waitForGo", """{ "id": "first" }""", "first");
        await store.Held;

        // Only when they run do they find that others may wait for the same signal and key.
        var starts = Enumerable.Range(0, Count).Select(i =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")).ToArray();
        hold.Release();
        await Task.WhenAll([first, .. starts]);

        Assert.InRange((engine.Engine.Statistics.DormantLookUps ?? 0) - before, 1, Count / 5);
        for (var i = 0; i < Count; i++)
        {
            await engine.SignalAsync("go", $"{i}", "1");
        }

        await engine.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
    }

    [Fact]
    public async Task No_instance_waits_for_the_clock_when_the_store_must_be_asked_first()
    {
        // So many that the index takes some slots for used ones: a look-up undoes the start and the eviction before it.
        const int Count = 4_000;
        var engine = await EngineAsync(new WorkflowEngineOptions { Residency = AtOnce }, new ManualTime());
        await engine.RegisterAsync(Definitions.WaitForGo);

        await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")));

        await ResidentsFallAsync(engine, 0);
        Assert.InRange(engine.Engine.Statistics.DormantLookUps ?? 0, 1, Count);
        Assert.Equal(Count, engine.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Dormant_waiter_stays_older_when_the_clock_is_set_back()
    {
        var ahead = new ManualTime();
        ahead.Advance(TimeSpan.FromHours(1));
        var before = await EngineAsync(new WorkflowEngineOptions { Residency = AtOnce }, ahead);
        await before.RegisterAsync(Definitions.WaitForGo);
        var older = await before.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await ResidentsFallAsync(before, 0);
        await before.DisposeAsync();

        var after = await EngineAsync(new WorkflowEngineOptions(), new ManualTime());
        var younger = await after.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await after.SignalAsync("go", "k", "1");
        await after.SignalAsync("go", "k", "2");

        Assert.Equal(("1", "2"), (await after.OutputAsync(older.Id), await after.OutputAsync(younger.Id)));
    }

    [Fact]
    public async Task Signals_to_a_dormant_instance_keep_their_order()
    {
        var engine = await StartedAsync(AtOnce, 1, Either);
        var started = await engine.StartAsync("either");
        await ResidentsFallAsync(engine, 0);
        await engine.SignalAsync("close", started.Id, "1");
        await engine.SignalAsync("close", started.Id, "2");
        await ResidentsFallAsync(engine, 0);

        await engine.SignalAsync("open", started.Id, "0");

        Assert.Equal("[0,1]", await engine.OutputAsync(started.Id));
        await engine.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Inbox_of_a_dormant_instance_survives_a_restart()
    {
        var before = await StartedAsync(AtOnce, 1, Either);
        var started = await before.StartAsync("either");
        await ResidentsFallAsync(before, 0);
        await before.SignalAsync("close", started.Id, "1");
        await ResidentsFallAsync(before, 0);
        await before.DisposeAsync();

        var after = await EngineAsync(new WorkflowEngineOptions { Residency = AtOnce });
        await after.SignalAsync("open", started.Id, "0");

        Assert.Equal("[0,1]", await after.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Timer_of_a_dormant_instance_fires_once()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(new WorkflowEngineOptions { Residency = AtOnce }, time);
        await engine.RegisterAsync(Definitions.WaitAMinute);
        var started = await engine.StartAsync("waitAMinute", """{ "id": "k" }""", "k");
        await ResidentsFallAsync(engine, 0);

        // First only the read ahead, then the timer.
        time.Advance(TimeSpan.FromSeconds(55));
        await Eventually.HoldsAsync(() => engine.Engine.Statistics.Wakeups == 1, "the timer is read ahead");
        Assert.Equal(0, engine.Engine.Statistics.Completed);
        time.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal("\"late\"", await engine.OutputAsync(started.Id));
        await engine.SettleAsync();
        Assert.Single(engine.Events.Of<InstanceCompleted>());
    }

    [Fact]
    public async Task Timers_of_dormant_instances_fire_after_a_restart()
    {
        const int Count = 20;
        var time = new ManualTime();
        var before = await EngineAsync(new WorkflowEngineOptions { Lanes = 2, Residency = AtOnce }, time);
        await before.RegisterAsync(Definitions.WaitAMinute);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            before.StartAsync("waitAMinute", $$"""{ "id": "{{i}}" }""", $"{i}")));
        await ResidentsFallAsync(before, 0);
        await before.DisposeAsync();

        time.Advance(TimeSpan.FromHours(1));
        var after = await EngineAsync(new WorkflowEngineOptions { Lanes = 2 }, time);

        await after.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await after.SettleAsync();
        Assert.Equal(Count, after.Events.Of<InstanceCompleted>().Count);
    }

    [Fact]
    public async Task Task_of_a_dormant_instance_is_assigned_and_completed()
    {
        var engine = await StartedAsync(AtOnce, 1, Ask);
        var started = await engine.StartAsync("ask");
        var task = (await engine.Events.WaitAsync<TaskCreated>(1, _ => true, Cancel))[0].TaskId;
        await ResidentsFallAsync(engine, 0);
        Assert.Equal(1, engine.Engine.Statistics.OpenTasks);

        await engine.Engine.AssignTaskAsync(task, "ann", null, Cancel);
        await ResidentsFallAsync(engine, 0);
        await engine.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.Parse("\"yes\"") }, Cancel);

        Assert.Equal("\"yes\"", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.OpenTasks);
    }

    [Fact]
    public async Task Child_returns_to_its_dormant_parent()
    {
        var engine = await StartedAsync(AtOnce, 1, Inner, Outer);
        var started = await engine.StartAsync("outer", """{ "id": "k" }""");
        await ResidentsFallAsync(engine, 0);
        Assert.Equal(2, engine.Engine.Statistics.LiveInstances);

        await engine.SignalAsync("go", "k", "5");

        Assert.Equal("""{"answer":5}""", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Cancelled_instance_takes_its_dormant_child_along()
    {
        var engine = await StartedAsync(AtOnce, 1, Inner, Outer);
        var started = await engine.StartAsync("outer", """{ "id": "k" }""");
        await ResidentsFallAsync(engine, 0);

        await engine.Engine.CancelAsync(started.Id, Cancel);

        await engine.Events.WaitAsync<InstanceCancelled>(2, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal((0, 2), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.Cancelled));
        Assert.False((await engine.SignalAsync("go", "k", "5")).Delivered);
    }

    [Fact]
    public async Task Suspended_instance_sleeps_and_is_resumed()
    {
        var engine = await StartedAsync(AtOnce, 1, Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await engine.SuspendAsync(started.Id);
        await ResidentsFallAsync(engine, 0);
        Assert.True((await engine.SignalAsync("go", "k", "3")).Delivered);
        await ResidentsFallAsync(engine, 0);
        Assert.Equal(InstanceState.Suspended, (await engine.ViewAsync(started.Id)).State);

        await engine.ResumeAsync(started.Id);

        Assert.Equal("3", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Ended_instance_is_not_taken_for_a_dormant_one()
    {
        var engine = await StartedAsync(AtOnce, 1, Definitions.WaitForGo);
        var ended = await engine.StartAsync("waitForGo", """{ "id": "a" }""", "a");
        await engine.StartAsync("waitForGo", """{ "id": "b" }""", "b");
        await ResidentsFallAsync(engine, 0);
        await engine.SignalAsync("go", "a", "1");
        await engine.OutputAsync(ended.Id);

        await Assert.ThrowsAsync<InstanceFinishedException>(() => engine.SignalAsync("go", ended.Id, "2"));
        await Assert.ThrowsAsync<InstanceFinishedException>(() => engine.Engine.CancelAsync(ended.Id, Cancel));
        var kept = await engine.SignalAsync("go", "a", "2");

        Assert.Equal((false, true), (kept.Delivered, kept.Kept));
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.Completed);
    }

    private async Task<EngineSession> StartedAsync(ResidencyOptions residency, int lanes, params string[] definitions)
    {
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes, Residency = residency });
        foreach (var definition in definitions)
        {
            await engine.RegisterAsync(definition);
        }

        return engine;
    }

    private static Task ResidentsFallAsync(EngineSession engine, int count) => Eventually.HoldsAsync(
        () => engine.Engine.Statistics.ResidentInstances <= count, $"at most {count} instances are in memory");
}
