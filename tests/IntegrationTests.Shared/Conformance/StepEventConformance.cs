namespace IntegrationTests.Shared.Conformance;

/// <summary>Several waits of one token: the first of several events, and boundary events. Each is taken once.</summary>
public abstract class StepEventConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    // With two lanes, the first is in another lane than the second.
    private static readonly string Home = KeyIn(2, "home");
    private static readonly string Elsewhere = KeyIn(3, "other");

    private const string First =
        """
        { "name": "first", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitFirst", "events": [
            { "signal": "paid", "correlation": "= id", "result": "payment", "next": "paid" },
            { "signal": "stop", "correlation": "= id", "result": "reason", "next": "stopped" },
            { "signal": "poke", "next": "poked" }, { "duration": "PT1H", "next": "late" } ] },
          "paid": { "type": "end", "output": [ "paid", "= payment" ] },
          "stopped": { "type": "end", "output": [ "stopped", "= reason" ] },
          "poked": { "type": "end", "output": "poked" }, "late": { "type": "end", "output": "late" } } }
        """;

    /// <summary>A task in a branch of a fork, with every kind of event beside it.</summary>
    private const string Guarded =
        """
        { "name": "guarded", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "other" ], "join": "met" },
          "check": { "type": "task", "assignee": "ann", "result": "decision", "next": "met", "boundary": [
            { "duration": "PT1H", "interrupting": false, "next": "remind" },
            { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" },
            { "signal": "stop", "correlation": "= id", "result": "reason", "next": "met" },
            { "until": "= at", "next": "late" } ] },
          "remind": { "type": "set", "values": { "reminded": "= coalesce(reminded, 0) + 1" }, "next": "say" },
          "say": { "type": "raise", "event": "Reminded", "next": "met" },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "ended" },
          "ended": { "type": "end" }, "late": { "type": "set", "values": { "late": true }, "next": "over" },
          "over": { "type": "raise", "event": "Late", "next": "met" },
          "other": { "type": "waitSignal", "signal": "other", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" },
          "done": { "type": "end",
            "output": [ "= met", "= decision", "= reason", "= reminded", "= notes", "= late" ] } } }
        """;

    private readonly ManualTime _time = new();

    [Theory]
    [InlineData("paid", """["paid",1]""")]
    [InlineData("stop", """["stopped",1]""")]
    [InlineData("poke", "\"poked\"")]
    [InlineData("", "\"late\"")]
    public async Task First_event_withdraws_the_others(string signal, string output)
    {
        var first = await EngineAsync(2, _time).WithAsync(First);
        var started = await first.StartAsync("first", $$"""{ "id": "{{Elsewhere}}" }""", key: Home);
        await first.IdleAsync();
        var waits = (await first.ViewAsync(started.Id)).Waits;
        Assert.All(waits, w => Assert.Equal("wait", w.Step));
        Assert.Equal(["signal paid", "signal stop", "signal poke", "delay "], waits.Select(w => $"{w.Kind} {w.Name}"));
        await first.DisposeAsync();

        var engine = await EngineAsync(2, _time);
        await HappenAsync(engine, signal, started.Id);

        Assert.Equal(output, await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        var chosen = Assert.Single(
            (await engine.Engine.FindHistoryAsync(started.Id, Cancel))!, l => l.Event == "chosen");
        Assert.Equal(output.Trim('[').Split(',')[0].Trim('"'), chosen.Detail);

        // The next waiter has no older waiter before it.
        var next = await engine.StartAsync("first", $$"""{ "id": "{{Elsewhere}}" }""", key: Elsewhere);
        Assert.True((await engine.SignalAsync("stop", Elsewhere, "2")).Delivered);
        Assert.Equal("""["stopped",2]""", await engine.OutputAsync(next.Id));
    }

    [Theory]
    [InlineData(1, true), InlineData(2, false)]
    public async Task One_of_two_simultaneous_events_is_taken(int lanes, bool sameLane)
    {
        var engine = await EngineAsync(lanes).WithAsync(First);
        for (var i = 0; i < 20; i++)
        {
            var key = KeyIn(3, $"race{i}x");
            var input = $$"""{ "id": "{{key}}" }""";
            var one = await engine.StartAsync("first", input, key: sameLane ? key : Home);
            await engine.IdleAsync();

            await Task.WhenAll(engine.SignalAsync("paid", key, "1"), engine.SignalAsync("stop", key, "1"));

            // The signal that was kept goes to the next waiter, and nothing is left.
            var taken = await engine.OutputAsync(one.Id);
            await engine.IdleAsync();
            Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);
            var two = await engine.StartAsync("first", input, key: key);
            Assert.Equal(
                ["""["paid",1]""", """["stopped",1]"""],
                new[] { taken, await engine.OutputAsync(two.Id) }.Order(StringComparer.Ordinal));
            await engine.IdleAsync();
            Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
        }
    }

    [Theory]
    [InlineData("first"), InlineData("guarded")]
    public async Task Invalid_correlation_key_stops_the_instance(string definition)
    {
        var engine = await EngineAsync(1, _time).WithAsync(First, Guarded);

        var started = await engine.StartAsync(definition, """{ "at": "2026-05-05T00:00:00Z" }""");

        AssertHolds((await engine.Events.FailedAsync(started.Id, Cancel)).Error, "'correlation'", "= id", "null");
        Assert.Empty((await engine.ViewAsync(started.Id)).Waits);
        Assert.Empty((await engine.Engine.ListTasksAsync(new(), Cancel)).Items);
    }

    [Fact]
    public async Task Events_count_as_open_waits()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Limits = new() { MaxOpenWaits = 3 } })
            .WithAsync(First);

        var started = await engine.StartAsync("first", """{ "id": "a" }""");

        AssertHolds((await engine.Events.FailedAsync(started.Id, Cancel)).Error, "3 open waits", "MaxOpenWaits");
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Signals_that_are_there_are_taken_in_the_order_of_the_events()
    {
        var engine = await EngineAsync().WithAsync(First);
        await engine.SignalAsync("stop", "k", "2");
        await engine.SignalAsync("paid", "k", "1");

        Assert.Equal(
            """["paid",1]""", await engine.OutputAsync((await engine.StartAsync("first", """{ "id": "k" }""")).Id));
        Assert.Equal(
            """["stopped",2]""", await engine.OutputAsync((await engine.StartAsync("first", """{ "id": "k" }""")).Id));
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Join_waits_for_tokens_of_non_interrupting_events()
    {
        var first = await EngineAsync(2, _time).WithAsync(Guarded);
        var started = await StartGuardedAsync(first);
        await first.SignalAsync("note", Elsewhere, "\"a\"");
        await first.IdleAsync();
        await first.SignalAsync("note", Elsewhere, "\"b\"");
        await first.IdleAsync();
        await first.DisposeAsync();

        var engine = await EngineAsync(1, _time);
        _time.Advance(TimeSpan.FromHours(1.5));
        await engine.Events.WaitAsync<EventRaised>(1, e => e.Name == "Reminded", Cancel);
        await engine.SignalAsync("note", Elsewhere, "\"c\"");
        await engine.IdleAsync();
        Assert.Equal(["check delay", "check signal", "check signal", "check task", "other signal"],
            (await engine.ViewAsync(started.Id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order(StringComparer.Ordinal));
        await CompleteAsync(engine, "7");
        await engine.SignalAsync("other", started.Id);

        Assert.Equal("""[1,7,null,1,"abc",null]""", await engine.OutputAsync(started.Id));
        Assert.Equal(4, (await engine.HistoryAsync(started.Id)).Count(l => l == "branched check"));
        await engine.IdleAsync();
        await engine.SignalAsync("note", Elsewhere, "\"d\"");
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);
    }

    [Theory]
    [InlineData("stop", "[1,null,1,null,null,null]"), InlineData("", "[1,null,null,1,null,true]")]
    public async Task Interrupting_event_closes_the_task(string signal, string output)
    {
        var engine = await EngineAsync(2, _time).WithAsync(Guarded);
        var started = await StartGuardedAsync(engine);
        var task = (await engine.Events.WaitAsync<TaskCreated>(1, _ => true, Cancel))[0].TaskId;

        _time.Advance(signal.Length == 0 ? TimeSpan.FromHours(2) : TimeSpan.Zero);
        await (signal.Length == 0 ? engine.Events.WaitAsync<EventRaised>(1, e => e.Name == "Late", Cancel)
            : (Task)engine.SignalAsync(signal, Elsewhere, "1"));

        await engine.IdleAsync();
        Assert.Equal("other", Assert.Single((await engine.ViewAsync(started.Id)).Waits).Step);
        Assert.Equal(TaskState.Cancelled, (await engine.Engine.FindTaskAsync(task, Cancel))!.State);
        await Assert.ThrowsAsync<TaskClosedException>(() => CompleteAsync(engine, task, "7"));
        await engine.SignalAsync("other", started.Id);

        Assert.Equal(output, await engine.OutputAsync(started.Id));
        Assert.Contains("interrupted check", await engine.HistoryAsync(started.Id));
        await engine.IdleAsync();
        await engine.SignalAsync("note", Elsewhere, "1");
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Signals_sent_before_the_step_each_start_a_token()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Guarded);
        await engine.SignalAsync("note", Elsewhere, "\"a\"");
        await engine.SignalAsync("note", Elsewhere, "\"b\"");
        var one = await StartGuardedAsync(engine);
        await engine.SignalAsync("stop", Elsewhere, "1");
        await engine.SignalAsync("other", one.Id);
        Assert.Equal("""[1,null,1,null,"ab",null]""", await engine.OutputAsync(one.Id));

        await engine.SignalAsync("stop", Elsewhere, "2");
        var two = await StartGuardedAsync(engine);
        Assert.Equal("other", Assert.Single((await engine.ViewAsync(two.Id)).Waits).Step);
        await engine.SignalAsync("other", two.Id);
        Assert.Equal("[1,null,2,null,null,null]", await engine.OutputAsync(two.Id));
        Assert.Equal(0, engine.Engine.Statistics.OpenTasks);
    }

    [Fact]
    public async Task Interrupted_call_cancels_its_child()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var answer = new TaskCompletionSource<Value>(TaskCreationOptions.RunContinuationsAsynchronously);
        var work = TestActivities.Of("work", async (_, _) =>
        {
            entered.TrySetResult();
            return await answer.Task;
        });
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 2, Activities = [work] })
            .WithAsync(Definitions.WaitForGo,
            Interruptible("invoke", "\"activity\": \"work\""),
            Interruptible("call", "\"definition\": \"waitForGo\", \"input\": { \"id\": \"= id\" }"));
        var calling = await engine.StartAsync("call", """{ "id": "c" }""");
        var child = Assert.Single((await engine.ViewAsync(calling.Id)).Waits, w => w.Kind == "call").Id!.Value;
        var invoking = await engine.StartAsync("invoke", """{ "id": "i" }""");
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);

        await engine.SignalAsync("stop", "c");
        await engine.SignalAsync("stop", "i");
        Assert.Equal("\"stopped\"", await engine.OutputAsync(calling.Id));
        Assert.Equal("\"stopped\"", await engine.OutputAsync(invoking.Id));
        answer.SetResult(Value.From("late"));

        Assert.Equal(InstanceState.Cancelled, (await engine.ViewAsync(child)).State);
        await engine.IdleAsync();
        Assert.Equal((0, 2), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.Completed));
    }

    [Fact]
    public async Task Retry_of_an_activity_keeps_its_events()
    {
        var calls = 0;
        var second = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var flaky = TestActivities.Of("flaky", (_, _) =>
        {
            if (++calls == 2)
            {
                second.SetResult();
            }

            return calls < 3 ? throw new InvalidOperationException("not yet") : new ValueTask<Value>(Value.From(calls));
        }, inline: true);
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, Activities = [flaky, TestActivities.Double] }, _time).WithAsync(
                Interruptible("once", "\"activity\": \"double\", \"input\": 21", "invoke"),
                Interruptible(
                    "invoke",
                    "\"activity\": \"flaky\", \"retry\": { \"maxAttempts\": 3, "
                        + "\"initialInterval\": \"PT1M\", \"backoff\": 1 }"));

        Assert.Equal("42", await engine.OutputAsync((await engine.StartAsync("once", """{ "id": "o" }""")).Id));
        var started = await engine.StartAsync("invoke", """{ "id": "i" }""");
        _time.Advance(TimeSpan.FromMinutes(1));
        await second.Task.WaitAsync(Eventually.Deadline, Cancel);
        await engine.IdleAsync();
        Assert.Equal(2, (await engine.ViewAsync(started.Id)).Waits.Count);
        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.Equal("3", await engine.OutputAsync(started.Id));
        Assert.False((await engine.SignalAsync("stop", "i")).Delivered);
        Assert.False((await engine.SignalAsync("stop", "o")).Delivered);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Each_event_has_one_effect_despite_failed_flushes(bool afterCommit)
    {
        for (var fail = 1; fail <= 6; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store).WithAsync(Guarded);
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);
            var id = $"k {fail} {afterCommit}";
            var started = await engine.StartAsync(
                "guarded", $$"""{ "id": "{{id}}", "at": "2999-01-01T00:00:00Z" }""", idempotencyKey: $"start {id}");
            await engine.SignalAsync("note", id, "\"a\"", $"one {id}");
            await engine.SignalAsync("note", id, "\"b\"", $"two {id}");
            await engine.SignalAsync("stop", id, "1", $"three {id}");
            await engine.SignalAsync("other", started.Id, null, $"four {id}");

            Assert.Equal("""[1,null,1,null,"ab",null]""", await engine.OutputAsync(started.Id));
            await engine.IdleAsync();
            Assert.Equal((0, 0), (engine.Engine.Statistics.OpenTasks, engine.Engine.Statistics.BufferedSignals));
            await engine.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Suspended_instance_keeps_the_second_event_for_the_next_wait(bool restart)
    {
        var engine = await EngineAsync(2, _time).WithAsync(First);
        var started = await engine.StartAsync("first", $$"""{ "id": "{{Elsewhere}}" }""", key: Home);
        await engine.IdleAsync();
        await engine.SuspendAsync(started.Id);
        _time.Advance(TimeSpan.FromMinutes(50));

        await engine.SignalAsync("stop", Elsewhere, "1");
        await engine.IdleAsync();
        await engine.SignalAsync("paid", Elsewhere, "2");
        _time.Advance(TimeSpan.FromMinutes(20));
        await engine.IdleAsync();
        Assert.True(Assert.Single((await engine.ViewAsync(started.Id)).Waits).Ended);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(1, _time);
        }

        await engine.ResumeAsync(started.Id);
        Assert.Equal("""["stopped",1]""", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Events_of_a_suspended_step_start_tokens_after_resumption()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Guarded);
        var started = await StartGuardedAsync(engine);
        await engine.SuspendAsync(started.Id);
        _time.Advance(TimeSpan.FromMinutes(50));

        await engine.SignalAsync("note", Elsewhere, "\"a\"");
        await engine.SignalAsync("note", Elsewhere, "\"b\"");
        _time.Advance(TimeSpan.FromMinutes(10));
        await CompleteAsync(engine, "7");
        await engine.SignalAsync("stop", Elsewhere, "1");
        await engine.ResumeAsync(started.Id);
        await engine.SignalAsync("other", started.Id);

        // The task was completed before the time was looked at and the second note was taken.
        Assert.Equal("""[1,7,null,null,"a",null]""", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(2, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Retry_begins_a_step_again_with_all_its_events()
    {
        var engine = await EngineAsync(1, _time).WithAsync(
            """
            { "name": "retried", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "check", "wait", "then" ], "join": "met" },
              "check": { "type": "task", "result": "decision", "next": "met", "boundary": [
                { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "met" },
                { "duration": "PT1H", "next": "met" } ] },
              "wait": { "type": "waitFirst", "events": [ { "signal": "a", "correlation": "= id", "next": "met" }, { "duration": "PT9H", "next": "met" } ] },
              "then": { "type": "waitSignal", "signal": "go", "next": "asks" },
              "asks": { "type": "waitFirst", "events": [ { "duration": "PT8H", "next": "met" }, { "signal": "b", "correlation": "= key", "next": "met" } ] },
              "met": { "type": "join", "next": "done" },
              "done": { "type": "end", "output": [ "= decision", "= note" ] } } }
            """);
        var started = await engine.StartAsync("retried", """{ "id": "k" }""");
        await engine.SignalAsync("go", started.Id);
        AssertHolds((await engine.Events.FailedAsync(started.Id, Cancel)).Error, "'correlation'", "= key");
        Assert.Equal(0, engine.Engine.Statistics.OpenTasks);

        await engine.RetryAsync(started.Id, """{ "key": "k" }""");
        Assert.Equal(
            ["asks delay", "asks signal", "check delay", "check signal", "check task", "wait delay", "wait signal"],
            (await engine.ViewAsync(started.Id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order(StringComparer.Ordinal));
        await engine.SignalAsync("note", "k", "5");
        await CompleteAsync(engine, "7");
        await engine.SignalAsync("a", "k");
        await engine.SignalAsync("b", "k");

        Assert.Equal("[7,5]", await engine.OutputAsync(started.Id));
    }

    private static string Interruptible(string name, string members, string? type = null) =>
        $$"""
        { "name": "{{name}}", "version": 1, "start": "run", "steps": {
          "run": { "type": "{{type ?? name}}", {{members}}, "result": "answer", "next": "done",
            "boundary": [ { "signal": "stop", "correlation": "= id", "next": "stopped" } ] },
          "stopped": { "type": "end", "output": "stopped" }, "done": { "type": "end", "output": "= answer" } } }
        """;

    private async Task HappenAsync(EngineSession engine, string signal, Guid instance)
    {
        _time.Advance(signal.Length == 0 ? TimeSpan.FromHours(1) : TimeSpan.Zero);
        await (signal.Length == 0 ? Task.CompletedTask
            : signal == "poke" ? engine.SignalAsync(signal, instance) : engine.SignalAsync(signal, Elsewhere, "1"));
    }

    private async Task<InstanceStarted> StartGuardedAsync(EngineSession engine)
    {
        var started = await engine.StartAsync(
            "guarded",
            $$"""{ "id": "{{Elsewhere}}", "at": "{{_time.GetUtcNow() + TimeSpan.FromHours(2):O}}" }""",
            key: Home);
        await engine.IdleAsync();
        return started;
    }

    private static async Task CompleteAsync(EngineSession engine, string output)
    {
        var open = await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel);
        await CompleteAsync(engine, Assert.Single(open.Items).Id, output);
    }

    private static Task<TaskAccepted> CompleteAsync(EngineSession engine, Guid task, string output) =>
        engine.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.Parse(output) }, Cancel);
}
