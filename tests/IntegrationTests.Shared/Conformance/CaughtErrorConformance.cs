namespace IntegrationTests.Shared.Conformance;

/// <summary>A retried instance whose error path failed continues at the step that had the error.</summary>
public abstract class CaughtErrorConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Child =
        """
        { "name": "child", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= key", "result": "sent", "next": "check" },
          "check": { "type": "decide", "cases": [ { "when": "= string(sent) = \"bad\"", "next": "refuse" } ],
            "otherwise": "done" },
          "refuse": { "type": "fail", "error": "refused", "code": "REFUSED" },
          "done": { "type": "end", "output": "= sent" } } }
        """;

    private readonly ConcurrentDictionary<string, int> _calls = new();

    [Theory]
    [InlineData(false, true), InlineData(true, false)]
    public async Task Retry_repeats_the_activity_whose_error_led_to_a_fail(bool inline, bool restart)
    {
        var options = With(inline, ("charge", 2));
        var engine = await EngineAsync(options).WithAsync(
            """
            { "name": "pay", "version": 1, "start": "charge", "steps": {
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "rejected",
                "errorResult": "problem",
                "retry": { "maxAttempts": 2, "initialInterval": "PT0S" }, "next": "done" },
              "rejected": { "type": "fail", "error": "= problem.message" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("pay");
        Assert.Equal("rejected", (await engine.Events.FailedAsync(started.Id, Cancel)).Step);
        Assert.Equal(["charge"], await TokensAsync(engine, started.Id));
        engine = await AgainAsync(engine, options, restart);

        await engine.RetryAsync(started.Id);

        Assert.Equal("\"charge 3\"", await engine.OutputAsync(started.Id));
        Assert.Equal(3, _calls["charge"]);
        Assert.Null((await engine.ViewAsync(started.Id)).Error);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Attempts_of_a_repeated_call_restart(bool inline)
    {
        var engine = await EngineAsync(With(inline, ("charge", 3))).WithAsync(
            """
            { "name": "pay", "version": 1, "start": "charge", "steps": {
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "rejected",
                "retry": { "maxAttempts": 2, "initialInterval": "PT0S" }, "next": "done" },
              "rejected": { "type": "fail", "error": "no money" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("pay");
        await engine.Events.FailedAsync(started.Id, Cancel);

        await engine.RetryAsync(started.Id);

        // The third call fails too; the fourth is the second attempt of the retry.
        Assert.Equal("\"charge 4\"", await engine.OutputAsync(started.Id));
        Assert.Equal(2, (await engine.HistoryAsync(started.Id)).Count(line => line == "attemptFailed charge"));
        Assert.Single(await engine.HistoryAsync(started.Id), line => line == "failed rejected");
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_calls_the_sub_workflow_again_whose_error_led_to_a_fail(bool restart)
    {
        var engine = await EngineAsync(2).WithAsync(Child,
            """
            { "name": "parent", "version": 1, "start": "sub", "steps": {
              "sub": { "type": "call", "definition": "child", "input": { "key": "= key" }, "result": "r",
                "onError": "which",
                "errorResult": "problem", "next": "done",
                "boundary": [ { "signal": "stop", "correlation": "= key", "next": "done" } ] },
              "which": { "type": "decide", "cases": [ { "when": "= problem.code = \"LATER\"", "next": "done" } ],
                "otherwise": "other" },
              "other": { "type": "fail", "error": "= problem.message", "code": "= problem.code" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("parent", """{ "key": "k" }""");
        await engine.SignalAsync("go", "k", "\"bad\"");
        Assert.Equal(("other", "REFUSED"), Shown(await engine.Events.FailedAsync(started.Id, Cancel)));
        engine = await AgainAsync(engine, new() { Lanes = 3 }, restart);

        Assert.Equal(InstanceState.Waiting, (await engine.RetryAsync(started.Id)).State);

        Assert.Equal(
            ["sub call", "sub signal"],
            (await engine.ViewAsync(started.Id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order());
        await engine.SignalAsync("go", "k", "7");
        Assert.Equal("7", await engine.OutputAsync(started.Id));
        Assert.Equal(2, (await engine.ViewAsync(started.Id)).Children!.Count);

        static (string?, string?) Shown(InstanceFailed failed) => (failed.Step, failed.Code);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_does_not_repeat_completed_elements(bool suspended)
    {
        var engine = await EngineAsync(2).WithAsync(Child,
            """
            { "name": "each", "version": 1, "start": "all", "steps": {
              "all": { "type": "callEach", "definition": "child", "items": [ "a", "b" ], "input": { "key": "= item" },
                "result": "r",
                "onError": "bad", "next": "done" },
              "bad": { "type": "fail", "error": "bad" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("each");
        if (suspended)
        {
            await engine.SuspendAsync(started.Id);
        }

        // In a suspended instance the error goes first, and finds the other as one that has ended.
        foreach (var (key, payload) in suspended
            ? [("b", "\"bad\""), ("a", "1")] : new[] { ("a", "1"), ("b", "\"bad\"") })
        {
            await engine.SignalAsync("go", key, payload);
            await engine.IdleAsync();
        }

        if (suspended)
        {
            await engine.ResumeAsync(started.Id);
        }

        await engine.Events.FailedAsync(started.Id, Cancel);
        engine = await AgainAsync(engine, new() { Lanes = 2 }, restart: true);
        await engine.RetryAsync(started.Id);
        await engine.IdleAsync();

        Assert.Single((await engine.ViewAsync(started.Id)).Waits, wait => wait.Kind == "call");
        await engine.SignalAsync("go", "b", "2");
        Assert.Equal("[1,2]", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Way_that_waits_before_its_fail_leads_back_to_the_call_too(bool restart)
    {
        var options = With(inline: false, ("charge", 1), ("refund", 0));
        var engine = await EngineAsync(options).WithAsync(
            """
            { "name": "pay", "version": 1, "start": "charge", "steps": {
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "refund", "next": "done" },
              "refund": { "type": "invoke", "activity": "refund", "next": "told" },
              "told": { "type": "waitSignal", "signal": "told", "correlation": "= key", "next": "rejected" },
              "rejected": { "type": "fail", "error": "no money" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("pay", """{ "key": "k" }""");
        await engine.IdleAsync();
        engine = await AgainAsync(engine, options, restart);
        await engine.SignalAsync("told", "k");
        await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(["charge"], await TokensAsync(engine, started.Id));
        engine = await AgainAsync(engine, options, restart);

        await engine.RetryAsync(started.Id);

        Assert.Equal("\"charge 2\"", await engine.OutputAsync(started.Id));
        Assert.Equal(1, _calls["refund"]);
    }

    [Fact]
    public async Task Retry_after_a_handled_error_leads_back_to_its_step()
    {
        var engine = await EngineAsync(With(inline: false, ("charge", 1), ("refund", 1))).WithAsync(
            """
            { "name": "pay", "version": 1, "start": "charge", "steps": {
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "refund", "next": "done" },
              "refund": { "type": "invoke", "activity": "refund", "onError": "stuck", "next": "rejected" },
              "stuck": { "type": "fail", "error": "not refunded" }, "rejected": { "type": "fail", "error": "no money" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("pay");
        await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(["refund"], await TokensAsync(engine, started.Id));

        await engine.RetryAsync(started.Id);
        await engine.Events.WaitAsync<InstanceFailed>(2, _ => true, Cancel);
        Assert.Equal(["charge"], await TokensAsync(engine, started.Id));
        await engine.RetryAsync(started.Id);

        Assert.Equal("\"charge 2\"", await engine.OutputAsync(started.Id));
        Assert.Equal(2, _calls["refund"]);
    }

    /// <summary>
    /// Steps after the handling of the error are not part of it, so another failure does not repeat the call.
    /// </summary>
    [Fact]
    public async Task Instance_that_was_back_on_its_way_fails_at_its_fail_again()
    {
        var engine = await EngineAsync(With(inline: true, ("charge", 1))).WithAsync(
            """
            { "name": "pay", "version": 1, "start": "charge", "steps": {
              "charge": { "type": "invoke", "activity": "charge", "onError": "later", "next": "check" },
              "later": { "type": "set", "values": { "later": true }, "next": "check" },
              "check": { "type": "decide", "cases": [ { "when": "= allowed = true", "next": "done" } ],
                "otherwise": "forbidden" },
              "forbidden": { "type": "fail", "error": "forbidden" }, "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("pay");
        await engine.Events.FailedAsync(started.Id, Cancel);

        Assert.Equal(["forbidden"], await TokensAsync(engine, started.Id));
        Assert.Equal(InstanceState.Failed, (await engine.RetryAsync(started.Id)).State);
        Assert.Equal(1, _calls["charge"]);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_continues_inside_the_failed_sub_process(bool restart)
    {
        var options = With(inline: false, ("first", 0), ("charge", 1));
        var engine = await EngineAsync(options).WithAsync(
            """
            { "name": "order", "version": 1, "start": "outer", "steps": {
              "outer": { "type": "subProcess", "start": "first", "onError": "which", "errorResult": "problem",
                "next": "done",
                "boundary": [ { "signal": "stop", "correlation": "= key", "next": "stopped" } ] },
              "first": { "type": "invoke", "activity": "first", "next": "split" },
              "split": { "type": "fork", "branches": [ "ask", "pause", "charge" ], "join": "all" },
              "ask": { "type": "task", "result": "t", "next": "all" },
              "pause": { "type": "waitSignal", "signal": "go", "correlation": "= key", "next": "all" },
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "next": "all" },
              "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
              "which": { "type": "set", "values": { "seen": true }, "next": "rejected" },
              "rejected": { "type": "fail", "error": "= problem.message" },
              "stopped": { "type": "end", "output": "stopped" }, "done": { "type": "end", "output": "= [ t, r ]" } } }
            """);
        var started = await engine.StartAsync("order", """{ "key": "k" }""");
        await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(["ask", "charge", "pause"], (await TokensAsync(engine, started.Id)).Order());
        engine = await AgainAsync(engine, options, restart);

        await engine.RetryAsync(started.Id);
        await engine.IdleAsync();

        Assert.Equal(["ask task", "outer signal", "pause signal"],
            (await engine.ViewAsync(started.Id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order());
        engine = await AgainAsync(engine, options, restart);
        var task = Assert.Single((await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel)).Items);
        await engine.Engine.CompleteTaskAsync(new() { TaskId = task.Id, Output = Value.From(1) }, Cancel);
        await engine.SignalAsync("go", "k");
        Assert.Equal("""[1,"charge 2"]""", await engine.OutputAsync(started.Id));
        Assert.Equal((1, 2), (_calls["first"], _calls["charge"]));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Error_passed_on_by_a_sub_process_leads_back_to_the_call()
    {
        var engine = await EngineAsync(With(inline: true, ("charge", 1))).WithAsync(
            """
            { "name": "order", "version": 1, "start": "outer", "steps": {
              "outer": { "type": "subProcess", "start": "charge", "onError": "rejected", "errorResult": "problem",
                "next": "done" },
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "passOn", "next": "over" },
              "passOn": { "type": "fail", "error": "no money", "code": "MONEY" }, "over": { "type": "end" },
              "rejected": { "type": "fail", "error": "= problem.message" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("order");
        await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(["charge"], await TokensAsync(engine, started.Id));

        await engine.RetryAsync(started.Id);

        Assert.Equal("\"charge 2\"", await engine.OutputAsync(started.Id));
        Assert.Equal(1, (await engine.HistoryAsync(started.Id)).Count(line => line == "left outer"));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Branches_that_the_way_of_an_error_has_begun_end_with_it(bool restart)
    {
        var options = With(inline: false, ("charge", 1));
        var engine = await EngineAsync(options).WithAsync(
            """
            { "name": "order", "version": 1, "start": "both", "steps": {
              "both": { "type": "fork", "branches": [ "charge", "other" ], "join": "met" },
              "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "split", "next": "met" },
              "split": { "type": "fork", "branches": [ "tell", "wait" ], "join": "told" },
              "tell": { "type": "task", "next": "told" },
              "wait": { "type": "waitSignal", "signal": "go", "correlation": "= key", "next": "rejected" },
              "told": { "type": "join", "next": "rejected2" },
              "rejected": { "type": "fail", "error": "no money" }, "rejected2": { "type": "fail", "error": "told" },
              "other": { "type": "waitSignal", "signal": "other", "correlation": "= key", "next": "met" },
              "met": { "type": "join", "next": "done" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("order", """{ "key": "k" }""");
        await engine.IdleAsync();
        await engine.SignalAsync("go", "k");
        await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(["charge", "other"], (await TokensAsync(engine, started.Id)).Order());
        engine = await AgainAsync(engine, options, restart);

        await engine.RetryAsync(started.Id);
        await engine.IdleAsync();

        Assert.Equal(["other"], (await engine.ViewAsync(started.Id)).Waits.Select(wait => wait.Step));
        await engine.SignalAsync("other", "k");
        Assert.Equal("\"charge 2\"", await engine.OutputAsync(started.Id));
        Assert.All(
            (await engine.Engine.ListTasksAsync(new(), Cancel)).Items,
            task => Assert.Equal(TaskState.Cancelled, task.State));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_of_a_call_is_done_once_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 4; fail++)
        {
            _calls.Clear();
            var store = new FaultyStore(Open());
            var name = $"pay{fail}{afterCommit}";
            var engine = await EngineAsync(With(inline: false, ("charge", 1)), store: store).WithAsync(
                $$"""
                { "name": "{{name}}", "version": 1, "start": "charge", "steps": {
                  "charge": { "type": "invoke", "activity": "charge", "result": "r", "onError": "rejected",
                    "next": "done" },
                  "rejected": { "type": "fail", "error": "no money" }, "done": { "type": "end", "output": "= r" } } }
                """);
            var started = await engine.StartAsync(name);
            await engine.Events.FailedAsync(started.Id, Cancel);
            await engine.IdleAsync();
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);

            await engine.RetryAsync(started.Id, idempotencyKey: name);

            Assert.Equal("\"charge 2\"", await engine.OutputAsync(started.Id));
            await engine.IdleAsync();
            Assert.Single(await engine.HistoryAsync(started.Id), line => line == "retried");
            await engine.DisposeAsync();
        }
    }

    private WorkflowEngineOptions With(bool inline, params (string Name, int Failures)[] activities) => new()
    {
        Lanes = 1,
        Activities = [.. activities.Select(activity => TestActivities.Of(
            activity.Name,
            async (_, _) =>
            {
                if (!inline)
                {
                    await Task.Yield();
                }

                var call = _calls.AddOrUpdate(activity.Name, 1, (_, calls) => calls + 1);
                return call <= activity.Failures
                    ? throw new InvalidOperationException($"call {call} is refused")
                    : Value.From($"{activity.Name} {call}");
            },
            inline))],
    };

    private async Task<EngineSession> AgainAsync(EngineSession engine, WorkflowEngineOptions options, bool restart)
    {
        if (!restart)
        {
            return engine;
        }

        await engine.DisposeAsync();
        return await EngineAsync(options);
    }

    private static async Task<IEnumerable<string>> TokensAsync(EngineSession engine, Guid id)
    {
        await engine.IdleAsync();
        return (await engine.ViewAsync(id)).Tokens!.Select(token => token.Step);
    }
}
