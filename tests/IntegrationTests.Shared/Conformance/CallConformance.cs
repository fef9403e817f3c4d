using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Sub-workflows: started once, their end handed back once, and none that outlives its parent.</summary>
public abstract class CallConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Doubling =
        """
        { "name": "child", "version": 1, "start": "sum", "steps": {
          "sum": { "type": "set", "values": { "twice": "= n * 2" }, "next": "done" },
          "done": { "type": "end", "output": { "twice": "= twice" } } } }
        """;

    private const string Failing =
        """{ "name": "child", "version": 1, "start": "stop", "steps": { "stop": { "type": "fail", "error": "= \"no stock of \" + n" } } }""";

    [Fact]
    public async Task Child_that_ends_at_once_costs_its_parent_no_commit()
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(Doubling, Calling());

        var started = await engine.StartAsync("parent", """{ "id": 21 }""", key: "case");

        Assert.Equal(InstanceState.Completed, started.State);
        Assert.Equal("""{"twice":42}""", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal((1, 2, 1, 2),
            (engine.Engine.Statistics.Flushes, engine.Engine.Statistics.Started, engine.Engine.Statistics.Called,
            engine.Engine.Statistics.Completed));
        var parent = await engine.ViewAsync(started.Id);
        var child = await engine.ViewAsync(Assert.Single(parent.Children!));
        Assert.Equal(
            (started.Id, null, "child", InstanceState.Completed),
            (child.ParentId, child.CorrelationKey, child.Definition, child.State));
        Assert.Null(parent.ParentId);
        Assert.Null(child.Children);
        Assert.Equal(Partitioning.OfInstance(started.Id), Partitioning.OfInstance(child.Id));
        Assert.Equal(
            ["started call", "waiting call", "returned call", "completed"], await engine.HistoryAsync(started.Id));
        Assert.Equal([(child.Id, started.Id), (started.Id, Guid.Empty)], engine.Events.Of<InstanceCompleted>()
            .Select(e => (e.InstanceId!.Value, e.ParentId ?? Guid.Empty)));
    }

    [Fact]
    public async Task Child_that_waits_outlives_the_engine_and_keeps_its_version()
    {
        var first = await EngineAsync(lanes: 3).WithAsync(Waiting(), Calling());
        var started = await first.StartAsync("parent", """{ "id": "a" }""");
        await first.RegisterAsync(Waiting(version: 2));
        var later = await first.StartAsync("parent", """{ "id": "b" }""");
        await first.DisposeAsync();

        var second = await EngineAsync(lanes: 2);
        var wait = Assert.Single((await second.ViewAsync(started.Id)).Waits);
        Assert.Equal(("call", "child"), (wait.Kind, wait.Name));
        var child = await second.ViewAsync(wait.Id!.Value);
        Assert.Equal((started.Id, 1, InstanceState.Waiting), (child.ParentId, child.Version, child.State));
        Assert.Equal(
            2, (await second.ViewAsync(Assert.Single((await second.ViewAsync(later.Id)).Waits).Id!.Value)).Version);

        await second.SignalAsync("go", "a", "1");
        await second.SignalAsync("go", "b", "2");

        Assert.Equal(["1", "2"], [await second.OutputAsync(started.Id), await second.OutputAsync(later.Id)]);
        await AssertNoneLeftAsync(second);
    }

    [Theory]
    [InlineData(Failing, "{ \"id\": \"tea\" }", "failed at step 'stop': no stock of tea")]
    [InlineData(null, "{ \"id\": 1 }", "was not started: it is not registered")]
    [InlineData(Doubling, "{ \"id\": 1, \"input\": [ 1 ] }", "was not started: its input is a List")]
    public async Task Failed_child_takes_the_error_path_or_stops_its_parent(string? child, string input, string reason)
    {
        var engine = await EngineAsync();
        if (child is not null)
        {
            await engine.RegisterAsync(child);
        }

        await engine.RegisterAsync(Calling(input: "= coalesce(input, { n: id })"));
        await engine.RegisterAsync(Calling("handling", "\"onError\": \"sorry\",", "= coalesce(input, { n: id })"));

        var stopped = await engine.StartAsync("parent", input);
        var handled = await engine.StartAsync("handling", input);

        var failed = await engine.Events.FailedAsync(stopped.Id, Cancel);
        Assert.Equal("call", failed.Step);
        AssertHolds(failed.Error, "Sub-workflow 'child'", reason);
        Assert.Equal("\"sorry\"", await engine.OutputAsync(handled.Id));
        Assert.Contains("callFailed call", await engine.HistoryAsync(handled.Id));
        await AssertNoneLeftAsync(engine);
    }

    [Theory]
    [InlineData("\"= n\"", "OUT", "\"OUT\"")]
    [InlineData("\"= n\"", null, "null")]
    [InlineData("\"NO_STOCK\"", "x", "\"NO_STOCK\"")]
    public async Task Error_passes_through_callers_that_do_not_catch_it(string code, string? n, string expected)
    {
        var engine = await EngineAsync(2).WithAsync(
            $$"""
            { "name": "child", "version": 1, "start": "stop", "steps": {
              "stop": { "type": "fail", "error": "none left", "code": {{code}} } } }
            """,
            """
            { "name": "between", "version": 1, "start": "call", "steps": {
              "call": { "type": "call", "definition": "child", "input": { "n": "= n" }, "next": "done" },
              "done": { "type": "end" } } }
            """,
            """
            { "name": "catching", "version": 1, "start": "call", "steps": {
              "call": { "type": "call", "definition": "between", "input": { "n": "= n" }, "onError": "sorry",
                "errorResult": "e", "next": "done" },
              "sorry": { "type": "end", "output": [ "= e.code", "= ends with(e.message, \"none left\")" ] },
              "done": { "type": "end" } } }
            """);

        var started = await engine.StartAsync("catching", $$"""{ "n": {{(n is null ? "null" : $"\"{n}\"")}} }""");

        Assert.Equal($"[{expected},true]", await engine.OutputAsync(started.Id));
        var failed = engine.Events.Of<InstanceFailed>().ToList();
        Assert.Equal(2, failed.Count);
        Assert.All(failed, e => Assert.Equal(expected, e.Code is null ? "null" : $"\"{e.Code}\""));
        var child = await engine.ViewAsync(failed[0].InstanceId!.Value);
        Assert.Equal(("none left", failed[0].Code), (child.Error!.Message, child.Error.Code));
    }

    [Fact]
    public async Task Invalid_code_stops_the_instance()
    {
        var engine = await EngineAsync().WithAsync(
            """{ "name": "coded", "version": 1, "start": "stop", "steps": { "stop": { "type": "fail", "error": "x", "code": "= n" } } }""");

        foreach (var n in new[] { "true", "\"\"" })
        {
            var started = await engine.StartAsync("coded", $$"""{ "n": {{n}} }""");

            AssertHolds((await engine.Events.FailedAsync(started.Id, Cancel)).Error, "'code'", "1 to 128", n);
        }
    }

    [Fact]
    public async Task Cancelled_parent_cancels_its_children_in_one_commit()
    {
        Assert.SkipWhen(
            Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "child", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "check", "deeper" ], "join": "both" },
              "check": { "type": "task", "next": "both" },
              "deeper": { "type": "call", "definition": "waitForGo", "input": { "id": "= n" }, "next": "both" },
              "both": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
            """);
        await engine.RegisterAsync(Definitions.WaitForGo);
        await engine.RegisterAsync(Calling());
        var started = await engine.StartAsync("parent", """{ "id": "k" }""");
        var flushes = engine.Engine.Statistics.Flushes;

        await engine.Engine.CancelAsync(started.Id, Cancel);

        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.Flushes - flushes);
        var statistics = engine.Engine.Statistics;
        Assert.Equal((0, 0, 3), (statistics.LiveInstances, statistics.OpenTasks, statistics.Cancelled));
        var instances = (await engine.Engine.ListInstancesAsync(new(), Cancel)).Items;
        Assert.Equal(3, instances.Count);
        Assert.All(instances, i => Assert.Equal(InstanceState.Cancelled, i.State));
        Assert.Equal(
            TaskState.Cancelled, Assert.Single((await engine.Engine.ListTasksAsync(new(), Cancel)).Items).State);
        Assert.False((await engine.SignalAsync("go", "k")).Delivered);
        Assert.Empty(engine.Events.Of<InstanceFailed>());
    }

    [Fact]
    public async Task Child_that_is_cancelled_is_an_error_to_its_parent()
    {
        var engine = await EngineAsync().WithAsync(Waiting(), Calling());
        var started = await engine.StartAsync("parent", """{ "id": "k" }""");
        var child = Assert.Single((await engine.ViewAsync(started.Id)).Children!);

        await engine.Engine.CancelAsync(child, Cancel);

        Assert.Contains($"Sub-workflow 'child' ({child}) was cancelled.",
            (await engine.Events.FailedAsync(started.Id, Cancel)).Error,
            StringComparison.Ordinal);
        await AssertNoneLeftAsync(engine);
    }

    [Fact]
    public async Task Timed_out_child_is_cancelled()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(time: time)
            .WithAsync(Waiting(), Calling(extra: "\"timeout\": \"PT1M\", \"onTimeout\": \"sorry\","));
        var started = await engine.StartAsync("parent", """{ "id": "k" }""");
        var child = Assert.Single((await engine.ViewAsync(started.Id)).Children!);

        time.Advance(TimeSpan.FromMinutes(1));

        Assert.Equal("\"sorry\"", await engine.OutputAsync(started.Id));
        Assert.Equal(InstanceState.Cancelled, (await engine.ViewAsync(child)).State);
        Assert.Contains("timedOut call", await engine.HistoryAsync(started.Id));
        Assert.Contains(
            started.Id.ToString(),
            Assert.Single(engine.Events.Of<InstanceCancelled>()).Reason,
            StringComparison.Ordinal);
        await AssertNoneLeftAsync(engine);
    }

    [Fact]
    public async Task Children_of_both_branches_meet_at_the_join()
    {
        var engine = await EngineAsync().WithAsync(Waiting());
        await engine.RegisterAsync(
            """
            { "name": "parent", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "left", "right" ], "join": "both" },
              "left": { "type": "call", "definition": "child", "input": { "n": "= a" }, "result": "x", "next": "both" },
              "right": { "type": "call", "definition": "child", "input": { "n": "= b" }, "result": "y",
                "next": "route" },
              "route": { "type": "decide", "cases": [ { "when": "= string(y) = \"stop\"", "next": "stop" } ],
                "otherwise": "both" },
              "stop": { "type": "end", "output": "stopped", "terminate": true },
              "both": { "type": "join", "next": "done" }, "done": { "type": "end", "output": [ "= x", "= y" ] } } }
            """);
        var joined = await engine.StartAsync("parent", """{ "a": "a1", "b": "b1" }""");
        var stopped = await engine.StartAsync("parent", """{ "a": "a2", "b": "b2" }""");

        await engine.SignalAsync("go", "b1", "1");
        await engine.SignalAsync("go", "a1", "2");
        await engine.SignalAsync("go", "b2", "\"stop\"");

        Assert.Equal("[2,1]", await engine.OutputAsync(joined.Id));
        Assert.Equal("\"stopped\"", await engine.OutputAsync(stopped.Id));
        await AssertNoneLeftAsync(engine);
        Assert.Equal(1, engine.Engine.Statistics.Cancelled);
        Assert.Equal(2, (await engine.ViewAsync(stopped.Id)).Children!.Count);
    }

    [Fact]
    public async Task Circular_calls_fail_all_their_callers()
    {
        var engine = await EngineAsync().WithAsync(Calling(definition: "parent"));

        var started = await engine.StartAsync("parent", """{ "id": 1 }""");

        Assert.Contains(
            "call one another in a circle",
            (await engine.Events.FailedAsync(started.Id, Cancel)).Error,
            StringComparison.Ordinal);
        await AssertNoneLeftAsync(engine);
    }

    [Fact]
    public async Task Endless_loop_of_calls_is_stopped_by_the_step_limit()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, MaxStepsPerCommand = 100 })
            .WithAsync(Doubling);
        await engine.RegisterAsync(
            """
            { "name": "parent", "version": 1, "start": "call", "steps": {
              "call": { "type": "call", "definition": "child", "input": { "n": 1 }, "onError": "call",
                "next": "call" } } }
            """);

        var started = await engine.StartAsync("parent");

        Assert.Contains(
            "more than 100 steps",
            (await engine.Events.FailedAsync(started.Id, Cancel)).Error,
            StringComparison.Ordinal);
        Assert.Equal(34, (await engine.ViewAsync(started.Id)).Children!.Count);
        await AssertNoneLeftAsync(engine);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Child_starts_and_returns_once_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 4; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store)
                .WithAsync(Waiting(), Calling());
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);
            var key = $"{fail} {afterCommit}";

            var started = await engine.StartAsync(
                "parent", $$"""{ "id": "{{key}}" }""", idempotencyKey: $"start {key}");
            var cancelled = await engine.StartAsync(
                "parent", $$"""{ "id": "not {{key}}" }""", idempotencyKey: $"other {key}");
            await engine.SignalAsync("go", key, $"{fail}", $"signal {key}");
            await engine.Engine.CancelAsync(cancelled.Id, Cancel);

            Assert.Equal($"{fail}", await engine.OutputAsync(started.Id));
            await AssertNoneLeftAsync(engine);
            Assert.Equal(
                ["started call", "waiting call", "returned call", "completed"], await engine.HistoryAsync(started.Id));
            var child = Assert.Single((await engine.ViewAsync(started.Id)).Children!);
            Assert.Equal((InstanceState.Completed, $"{fail}"),
                ((await engine.ViewAsync(child)).State, (await engine.ViewAsync(child)).Output!.Value.GetRawText()));
            Assert.Single(engine.Events.Of<InstanceCompleted>(), e => e.InstanceId == child);
            Assert.Equal(
                InstanceState.Cancelled,
                (await engine.ViewAsync(Assert.Single((await engine.ViewAsync(cancelled.Id)).Children!))).State);
            await engine.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Call_survives_a_crash_at_any_flush(bool afterCommit)
    {
        for (var fail = 1; fail <= 2; fail++)
        {
            var key = $"{fail} {afterCommit}";
            var store = new FaultyStore(Open());
            var first = await EngineAsync(
                new WorkflowEngineOptions { Lanes = 1, OutageTolerance = TimeSpan.Zero }, store: store);
            await first.RegisterAsync(Waiting());
            await first.RegisterAsync(Calling());
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit, ThenAway: true) : null);
            var died = await Record.ExceptionAsync(async () =>
            {
                await first.StartAsync("parent", $$"""{ "id": "{{key}}" }""", idempotencyKey: $"start {key}");
                await first.SignalAsync("go", key, "7", $"signal {key}");
            });
            Assert.NotNull(died);
            await first.DisposeAsync();

            var second = await EngineAsync();
            var started = await second.StartAsync(
                "parent", $$"""{ "id": "{{key}}" }""", idempotencyKey: $"start {key}");
            await second.SignalAsync("go", key, "7", $"signal {key}");

            Assert.Equal("7", await second.OutputAsync(started.Id));
            await AssertNoneLeftAsync(second);
            Assert.Single((await second.ViewAsync(started.Id)).Children!);
            Assert.Single(second.Events.Of<InstanceCompleted>(), e => e.InstanceId == started.Id);
            await second.DisposeAsync();
        }
    }

    /// <summary>Waits for <c>go</c> with the key in <c>n</c> and ends with its payload.</summary>
    private static string Waiting(int version = 1) =>
        $$"""
        { "name": "child", "version": {{version}}, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= n", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;

    private static string Calling(
        string name = "parent", string extra = "", string input = "= { n: id }", string definition = "child") =>
        $$"""
        { "name": "{{name}}", "version": 1, "start": "call", "steps": {
          "call": { "type": "call", "definition": "{{definition}}", "input": "{{input}}",
            "result": "r", {{extra}} "next": "done" },
          {{(extra.Length == 0 ? "" : "\"sorry\": { \"type\": \"end\", \"output\": \"sorry\" },")}}
          "done": { "type": "end", "output": "= r" } } }
        """;

    /// <summary>Nothing lives any more, so that no child can be left of a parent that is over.</summary>
    private static async Task AssertNoneLeftAsync(EngineSession engine)
    {
        await engine.IdleAsync();
        var left = (await engine.Engine.ListInstancesAsync(new() { Limit = 1_000 }, Cancel)).Items
            .Where(i => i.State <= InstanceState.Suspended);
        Assert.Empty(left.Select(i => $"{i.Definition} {i.Id} {i.State} of {i.ParentId}"));
        Assert.Equal((0, 0), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.OpenTasks));
    }
}
