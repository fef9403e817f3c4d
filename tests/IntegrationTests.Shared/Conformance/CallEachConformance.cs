using static IntegrationTests.Shared.Conformance.ElementDefinitions;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Calls of a sub-workflow for each element. Each is called once, and the step ends once.</summary>
public abstract class CallEachConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Results_are_in_the_order_of_the_items(bool restart)
    {
        var engine = await EngineAsync(lanes: 3).WithAsync(Child, Each());
        var started = await engine.StartAsync("each", Input("k"));
        var waits = (await engine.ViewAsync(started.Id)).Waits;
        Assert.Equal(
            ["callEach child", "call child", "call child", "call child"], waits.Select(w => $"{w.Kind} {w.Name}"));

        await engine.SignalAsync("go", "kc", "3");
        if (restart)
        {
            await engine.IdleAsync();
            await engine.DisposeAsync();
            engine = await EngineAsync(lanes: 2);
        }

        await engine.SignalAsync("go", "kb", "2");
        await engine.SignalAsync("go", "ka", "1");

        Assert.Equal($"[{Output("k", "a", "1")},{Output("k", "b", "2")},{Output("k", "c", "3")}]",
            await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(
            ["started all", "waiting all", "called all", "called all", "called all", "returned all", "completed"],
            await engine.HistoryAsync(started.Id));
        var details =
            (await engine.Engine.FindHistoryAsync(started.Id, Cancel))!.Where(l => l.Detail is not null).ToArray();
        Assert.Equal(("3 x child", "3 of 3"), (details[0].Detail, details[^1].Detail));
        Assert.Equal([.. waits.Skip(1).Select((w, i) => $"{i + 1}: {w.Id}")], details[1..4].Select(l => l.Detail));
    }

    [Fact]
    public async Task One_at_a_time_each_is_called_when_the_one_before_has_ended()
    {
        var engine = await EngineAsync().WithAsync(Child, Each("\"maxConcurrency\": 1"));
        var started = await engine.StartAsync("each", Input("k"));
        foreach (var element in new[] { "a", "b", "c" })
        {
            await engine.IdleAsync();
            Assert.Single((await engine.ViewAsync(started.Id)).Waits, w => w.Kind == "call");
            Assert.True((await engine.SignalAsync("go", $"k{element}", "0")).Delivered);
        }

        Assert.Equal($"[{Output("k", "a", "0")},{Output("k", "b", "0")},{Output("k", "c", "0")}]",
            await engine.OutputAsync(started.Id));
        Assert.Equal(3, (await engine.ViewAsync(started.Id)).Children!.Count);
    }

    [Fact]
    public async Task As_many_run_as_may_and_no_more()
    {
        var engine = await EngineAsync().WithAsync(Child, Each("\"maxConcurrency\": 2"));
        var started = await engine.StartAsync("each", Input("k"));
        Assert.Equal(2, (await engine.ViewAsync(started.Id)).Waits.Count(w => w.Kind == "call"));
        Assert.False((await engine.SignalAsync("go", "kc", "3")).Delivered);

        await engine.SignalAsync("go", "kb", "2");
        await engine.IdleAsync();

        // The third was called, and took what was there for it.
        Assert.Equal(1, (await engine.ViewAsync(started.Id)).Waits.Count(w => w.Kind == "call"));
        await engine.SignalAsync("go", "ka", "1");
        Assert.Equal($"[{Output("k", "a", "1")},{Output("k", "b", "2")},{Output("k", "c", "3")}]",
            await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Elements_come_from_a_count_or_a_collection()
    {
        var engine = await EngineAsync().WithAsync(Doubling);
        foreach (var (i, (elements, variables, output)) in Good.Index())
        {
            var started = await StartAsync(engine, i, elements, variables);

            Assert.Equal(output, await engine.OutputAsync(started));

            // The element that an input sees is not a variable of the instance.
            Assert.Equal(
                ["r"], (await engine.ViewAsync(started)).Variables.EnumerateObject().Select(v => v.Name)
                    .Except(["n", "plus"]));
        }
    }

    [Fact]
    public async Task Invalid_elements_fail_the_instance()
    {
        var engine = await EngineAsync().WithAsync(Doubling);
        foreach (var (i, (elements, variables, message)) in Bad.Index())
        {
            var started = await StartAsync(engine, i, elements, variables);

            AssertHolds((await engine.Events.FailedAsync(started, Cancel)).Error, message.Split(" ... "));
        }

        await AssertNoneLeftAsync(engine);
    }

    private static async Task<Guid> StartAsync(EngineSession engine, int number, string elements, string variables)
    {
        await engine.RegisterAsync(
            $$"""
            { "name": "each{{number}}", "version": 1, "start": "all", "steps": {
              "all": { "type": "callEach", "definition": "double", {{elements}}, "result": "r", "next": "done" },
              "done": { "type": "end", "output": "= r" } } }
            """);
        return (await engine.StartAsync($"each{number}", variables)).Id;
    }

    [Theory]
    [InlineData("numberOfCompletedInstances >= 2 and numberOfActiveInstances = numberOfInstances - 2")]
    [InlineData("\"stop\" in results.sent")]
    public async Task Once_the_completion_condition_is_true_the_rest_is_cancelled(string condition)
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(
            Child, Each($"\"completionCondition\": {System.Text.Json.JsonSerializer.Serialize(condition)}"));
        var started = await engine.StartAsync("each", Input("k"));

        await engine.SignalAsync("go", "kc", "3");
        await engine.IdleAsync();
        await engine.SignalAsync("go", "ka", "\"stop\"");

        Assert.Equal($"[{Output("k", "a", "\"stop\"")},null,{Output("k", "c", "3")}]",
            await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(1, engine.Engine.Statistics.Cancelled);
        Assert.Equal("2 of 3",
            (await engine.Engine.FindHistoryAsync(started.Id, Cancel))!.Single(l => l.Event == "returned").Detail);
        Assert.False((await engine.SignalAsync("go", "kb")).Delivered);
    }

    [Fact]
    public async Task Failed_element_cancels_the_others()
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(Child, Each(
            "\"onError\": \"sorry\", \"errorResult\": \"e\"",
            steps: "\"sorry\": { \"type\": \"end\", \"output\": \"= e.code\" },"));
        var started = await engine.StartAsync("each", Input("k"));

        await engine.SignalAsync("go", "ka", "1");
        await engine.IdleAsync();
        await engine.SignalAsync("go", "kb", "\"bad\"");

        Assert.Equal("\"REFUSED\"", await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal((1L, 1L), (engine.Engine.Statistics.Cancelled, engine.Engine.Statistics.Failed));
        Assert.Contains("callFailed all", await engine.HistoryAsync(started.Id));
    }

    [Theory]
    [InlineData(false, true), InlineData(true, false)]
    public async Task Retry_calls_what_has_not_ended_and_nothing_twice(bool restart, bool guarded)
    {
        var members =
            guarded ? "\"boundary\": [ { \"signal\": \"stop\", \"correlation\": \"= key\", \"next\": \"done\" } ]" : "";
        var engine = await EngineAsync(lanes: 2).WithAsync(Child, Each(members));
        var started = await engine.StartAsync("each", Input("k"));
        await engine.SuspendAsync(started.Id);
        await engine.SignalAsync("go", "kc", "\"bad\"");
        await engine.IdleAsync();
        await engine.SignalAsync("go", "kb", "2");
        await engine.IdleAsync();
        await engine.ResumeAsync(started.Id);
        var failed = await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(("all", "REFUSED"), (failed.Step, failed.Code));
        await AssertNoneLeftAsync(engine);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(lanes: 2);
        }

        await engine.RetryAsync(started.Id);
        await engine.IdleAsync();

        Assert.Equal(2, (await engine.ViewAsync(started.Id)).Waits.Count(w => w.Kind == "call"));
        await engine.SignalAsync("go", "kc", "\"bad\"");
        await engine.Events.WaitAsync<InstanceFailed>(restart ? 1 : 2, e => e.InstanceId == started.Id, Cancel);
        await engine.RetryAsync(started.Id);
        await engine.SignalAsync("go", "ka", "1");
        await engine.SignalAsync("go", "kc", "3");
        Assert.Equal($"[{Output("k", "a", "1")},{Output("k", "b", "2")},{Output("k", "c", "3")}]",
            await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(7, (await engine.ViewAsync(started.Id)).Children!.Count);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Failure_in_another_branch_keeps_completed_calls(bool restart)
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(Child,
            """
            { "name": "each", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "all", "other" ], "join": "met" },
              "all": { "type": "callEach", "definition": "child", "items": "= items", "input": { "key": "= key + item" }, "result": "results",
                "next": "met" },
              "other": { "type": "waitSignal", "signal": "other", "next": "pause" },
              "pause": { "type": "delay", "until": "= at", "next": "met" },
              "met": { "type": "join", "next": "done" }, "done": { "type": "end", "output": "= results.sent" } } }
            """);
        var started = await engine.StartAsync("each", Input("k"));
        await engine.SignalAsync("go", "ka", "1");
        await engine.IdleAsync();
        await engine.SuspendAsync(started.Id);
        await engine.SignalAsync("other", started.Id);
        await engine.IdleAsync();
        await engine.SignalAsync("go", "kb", "2");
        await engine.IdleAsync();
        Assert.Equal(InstanceState.Failed, (await engine.ResumeAsync(started.Id)).State);
        await AssertNoneLeftAsync(engine);
        Assert.Equal(["all", "pause"], (await engine.ViewAsync(started.Id)).Tokens!.Select(t => t.Step).Order());
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(lanes: 2);
        }

        await engine.RetryAsync(started.Id, """{ "at": "2000-01-01T00:00:00Z" }""");
        await engine.SignalAsync("go", "kc", "3");

        Assert.Equal("[1,2,3]", await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(4, (await engine.ViewAsync(started.Id)).Children!.Count);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Results_of_elements_are_taken_after_resumption(bool restart)
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(Child, Each("\"maxConcurrency\": 2"));
        var started = await engine.StartAsync("each", Input("k"));
        await engine.SuspendAsync(started.Id);
        await engine.SignalAsync("go", "kb", "2");
        await engine.SignalAsync("go", "ka", "1");
        await engine.IdleAsync();
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(lanes: 2);
            await engine.IdleAsync();
        }

        var view = await engine.ViewAsync(started.Id);
        Assert.Equal((InstanceState.Suspended, 2, 2),
            (view.State, view.Waits.Count(w => w.Ended == true), view.Children!.Count));
        Assert.Equal(InstanceState.Waiting, (await engine.ResumeAsync(started.Id)).State);
        await engine.SignalAsync("go", "kc", "3");

        Assert.Equal($"[{Output("k", "a", "1")},{Output("k", "b", "2")},{Output("k", "c", "3")}]",
            await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(3, (await engine.ViewAsync(started.Id)).Children!.Count);
    }

    [Theory]
    [InlineData("timeout"), InlineData("stop"), InlineData("suspended")]
    public async Task Timeout_or_interrupting_event_cancels_every_element(string what)
    {
        var engine = await EngineAsync(2, _time).WithAsync(Child, Each(
            """
            "timeout": "PT1H", "onTimeout": "late", "boundary": [ { "signal": "stop", "correlation": "= key", "next": "stopped" },
              { "signal": "note", "correlation": "= key", "result": "note", "interrupting": false, "next": "noted" } ]
            """,
            steps: """
            "late": { "type": "end", "output": "timeout" }, "noted": { "type": "end" }, "stopped": { "type": "end", "output": "= note" },
            """));
        var started = await engine.StartAsync("each", Input("k"));
        await engine.SignalAsync("go", "ka", "1");
        await engine.SignalAsync("note", "k", "\"stop\"");
        await engine.IdleAsync();
        if (what == "timeout")
        {
            _time.Advance(TimeSpan.FromHours(2));
        }
        else if (what == "stop")
        {
            await engine.SignalAsync("stop", "k");
        }
        else
        {
            await engine.SuspendAsync(started.Id);
            await engine.SignalAsync("go", "kb", "2");
            await engine.IdleAsync();
            await engine.SignalAsync("stop", "k");
            await engine.SignalAsync("go", "kc", "3");
            await engine.IdleAsync();
            await engine.ResumeAsync(started.Id);
        }

        Assert.Equal(what == "timeout" ? "\"timeout\"" : "\"stop\"", await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(what == "suspended" ? 1 : 2, engine.Engine.Statistics.Cancelled);
        Assert.DoesNotContain("returned all", await engine.HistoryAsync(started.Id));
    }

    [Fact]
    public async Task Cancelled_instance_takes_its_elements_along_in_one_commit()
    {
        Assert.SkipWhen(Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine = await EngineAsync().WithAsync(Child, Each());
        var started = await engine.StartAsync("each", Input("k"));
        var flushes = engine.Engine.Statistics.Flushes;

        await engine.Engine.CancelAsync(started.Id, Cancel);

        await AssertNoneLeftAsync(engine);
        Assert.Equal((1, 4L), (engine.Engine.Statistics.Flushes - flushes, engine.Engine.Statistics.Cancelled));
    }

    [Fact]
    public async Task Elements_past_the_limit_are_refused()
    {
        var engine = await EngineAsync().WithAsync(Doubling,
            """
            { "name": "many", "version": 1, "start": "all", "steps": {
              "all": { "type": "callEach", "definition": "double", "count": "= n", "index": "n", "maxConcurrency": 500, "result": "r",
                "next": "done" },
              "done": { "type": "end", "output": [ "= count(r)", "= sum(r)" ] } } }
            """);
        var started = await engine.StartAsync("many", """{ "n": 1000 }""");
        Assert.Equal("[1000,1001000]", await engine.OutputAsync(started.Id));
        await AssertNoneLeftAsync(engine);
        await engine.DisposeAsync();

        var limited = await EngineAsync(Small(1_000) with { Limits = new() { MaxOpenWaits = 3 } });
        await limited.RegisterAsync(Child);
        await limited.RegisterAsync(Each());
        var refused = await limited.StartAsync("each", Input("few"));
        AssertHolds((await limited.Events.FailedAsync(refused.Id, Cancel)).Error, "open waits, the limit is 3", "all");
        await limited.IdleAsync();
        Assert.Equal(0, limited.Engine.Statistics.LiveInstances);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Elements_are_called_and_end_once_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 4; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(Small(1_000), store: store).WithAsync(Child, Each("\"maxConcurrency\": 2"));
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);
            var key = $"{fail} {afterCommit}";

            var started = await engine.StartAsync("each", Input(key), idempotencyKey: $"start {key}");
            foreach (var element in new[] { "b", "c", "a" })
            {
                await engine.SignalAsync("go", key + element, "0", $"signal {key} {element}");
            }

            Assert.Equal($"[{Output(key, "a", "0")},{Output(key, "b", "0")},{Output(key, "c", "0")}]",
                await engine.OutputAsync(started.Id));
            await AssertNoneLeftAsync(engine);
            Assert.Equal(
                ["started all", "waiting all", "called all", "called all", "called all", "returned all", "completed"],
                await engine.HistoryAsync(started.Id));
            var children = (await engine.ViewAsync(started.Id)).Children!;
            Assert.Equal(3, children.Count);
            Assert.All(
                children, child => Assert.Single(engine.Events.Of<InstanceCompleted>(), e => e.InstanceId == child));
            await engine.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Elements_survive_a_crash_at_any_flush(bool afterCommit)
    {
        for (var fail = 1; fail <= 3; fail++)
        {
            var key = $"dies {fail} {afterCommit}";
            var store = new FaultyStore(Open());
            var first = await EngineAsync(Small(1_000) with { OutageTolerance = TimeSpan.Zero }, store: store);
            await first.RegisterAsync(Child);
            await first.RegisterAsync(Each("\"maxConcurrency\": 2"));
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit, ThenAway: true) : null);
            await Record.ExceptionAsync(() => SendAsync(first));
            await first.DisposeAsync();

            var second = await EngineAsync(lanes: 2);
            var started = await SendAsync(second);

            Assert.Equal($"[{Output(key, "a", "0")},{Output(key, "b", "0")},{Output(key, "c", "0")}]",
                await second.OutputAsync(started));
            await AssertNoneLeftAsync(second);
            Assert.Equal(3, (await second.ViewAsync(started)).Children!.Count);
            await second.DisposeAsync();

            async Task<Guid> SendAsync(EngineSession engine)
            {
                var id = (await engine.StartAsync("each", Input(key), idempotencyKey: $"start {key}")).Id;
                foreach (var element in new[] { "b", "a", "c" })
                {
                    await engine.SignalAsync("go", key + element, "0", $"signal {key} {element}");
                }

                return id;
            }
        }
    }

    private static WorkflowEngineOptions Small(int waits) =>
        new() { Lanes = 1, Limits = new() { MaxOpenWaits = waits } };

    private static async Task AssertNoneLeftAsync(EngineSession engine)
    {
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }
}

internal static class ElementDefinitions
{
    /// <summary>Elements, variables and output.</summary>
    public static readonly (string, string, string)[] Good =
    [
        (""" "count": "= n", "input": { "n": "= index" } """, """{ "n": 3 }""", "[2,4,6]"),
        (""" "count": 2, "index": "n" """, "{}", "[2,4]"), (""" "count": 0 """, "{}", "[]"),
        (""" "items": [] """, "{}", "[]"),
        (""" "items": [ 5, "= n", null ], "item": "n" """, """{ "n": 6 }""", "[10,12,null]"),
        (""" "items": "= n", "input": { "n": "= item * index + plus" } """, """{ "n": [ 1, 2 ], "plus": 10 }""",
            "[22,28]"),
    ];

    /// <summary>Elements, variables and what the message says.</summary>
    public static readonly (string, string, string)[] Bad =
    [
        (""" "items": "= n" """, """{ "n": 3 }""", "'items' ... a list of at most 1000 elements ... gave 3"),
        (""" "items": "= n" """, "{}", "'items' ... gave null"),
        (""" "count": "= n" """, """{ "n": 2.5 }""", "'count' ... a whole number from 0 to 1000 ... gave 2.5"),
        (""" "count": "= n" """, """{ "n": 1001 }""", "'count' ... gave 1001"),
        (""" "count": 2, "input": "= n" """, """{ "n": 1 }""", "its input is a Number"),
        (""" "count": 2, "version": 7 """, """{ "n": 1 }""", "Sub-workflow 'double' was not started ... version 7"),
    ];

    /// <summary>Waits for its own key. The payload is its output; "bad" fails it.</summary>
    public const string Child =
        """
        { "name": "child", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= key", "result": "sent", "next": "route" },
          "route": { "type": "decide", "cases": [ { "when": "= string(sent) = \"bad\"", "next": "no" } ], "otherwise": "done" },
          "no": { "type": "fail", "error": "= \"no \" + key", "code": "REFUSED" },
          "done": { "type": "end", "output": { "of": "= key", "sent": "= sent" } } } }
        """;

    public const string Doubling =
        """
        { "name": "double", "version": 1, "start": "done", "steps": {
          "done": { "type": "end", "output": "= n * 2" } } }
        """;

    public static string Each(string members = "", string input = """{ "key": "= key + item" }""", string steps = "") =>
        $$"""
        { "name": "each", "version": 1, "start": "all", "steps": {
          "all": { "type": "callEach", "definition": "child", "items": "= items", "input": {{input}}, "result": "results",
            {{(members.Length > 0 ? members + "," : "")}} "next": "done" },
          {{steps}} "done": { "type": "end", "output": "= results" } } }
        """;

    public static string Input(string key) => $$"""{ "key": "{{key}}", "items": [ "a", "b", "c" ] }""";

    public static string Output(
        string key, string element, string sent) => $$"""{"of":"{{key}}{{element}}","sent":{{sent}}}""";
}
