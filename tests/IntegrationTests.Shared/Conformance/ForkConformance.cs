namespace IntegrationTests.Shared.Conformance;

/// <summary>Branches that run side by side.</summary>
public abstract class ForkConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string TwoWaits =
        """
        { "name": "twoWaits", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "left", "right" ], "join": "both" },
          "left": { "type": "waitSignal", "signal": "left", "correlation": "= id", "result": "l", "next": "both" },
          "right": { "type": "waitSignal", "signal": "right", "correlation": "= id", "result": "r", "next": "both" },
          "both": { "type": "join", "next": "done" },
          "done": { "type": "end", "output": [ "= l", "= r" ] } } }
        """;

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Join_waits_for_every_branch_also_across_a_restart(bool restart)
    {
        var engine = await EngineAsync(2).WithAsync(TwoWaits);
        var started = await engine.StartAsync("twoWaits", """{ "id": "f" }""");
        Assert.Equal(2, (await engine.ViewAsync(started.Id)).Waits.Count);

        await engine.SignalAsync("right", "f", "2");
        await engine.IdleAsync();
        Assert.Equal("left", Assert.Single((await engine.ViewAsync(started.Id)).Waits).Step);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(2);
        }

        await engine.SignalAsync("left", "f", "1");
        Assert.Equal("[1,2]", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Forks_nest_and_join_from_the_inside_out()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "nested", "version": 1, "start": "outer", "steps": {
              "outer": { "type": "fork", "branches": [ "inner", "c" ], "join": "outerJoin" },
              "inner": { "type": "fork", "branches": [ "a", "b" ], "join": "innerJoin" },
              "a": { "type": "waitSignal", "signal": "a", "next": "innerJoin" },
              "b": { "type": "set", "values": { "b": "= 2" }, "next": "innerJoin" },
              "innerJoin": { "type": "join", "next": "after" },
              "after": { "type": "set", "values": { "sum": "= b + 1" }, "next": "outerJoin" },
              "c": { "type": "waitSignal", "signal": "c", "next": "outerJoin" },
              "outerJoin": { "type": "join", "next": "done" },
              "done": { "type": "end", "output": "= sum" } } }
            """);
        var started = await engine.StartAsync("nested");

        await engine.SignalAsync("c", started.Id);
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
        await engine.SignalAsync("a", started.Id);

        Assert.Equal("3", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData("""{ "sum": 5 }""", "small", "small")]
    [InlineData("""{ "sum": 50 }""", "large", "large")]
    [InlineData("""{ "sum": 50, "gift": true }""", "large, wrap", "large, wrap")]
    [InlineData("""{ "gift": true }""", "wrap", "wrap")]
    public async Task Inclusive_join_waits_for_the_branches_that_were_taken(
        string input, string waiting, string signals)
    {
        var first = await EngineAsync(2).WithAsync(
            """
            { "name": "inclusive", "version": 1, "start": "split", "steps": {
              "split": { "type": "inclusive", "join": "met", "otherwise": "small",
                "cases": [
                  { "when": "= coalesce(sum, 0) > 10", "next": "large" }, { "when": "= gift = true", "next": "wrap" },
                  { "when": "= note = true", "next": "met" } ] },
              "small": { "type": "waitSignal", "signal": "small", "next": "met" },
              "large": { "type": "waitSignal", "signal": "large", "next": "met" },
              "wrap": { "type": "waitSignal", "signal": "wrap", "next": "met" },
              "met": { "type": "join", "next": "count" },
              "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "last" },
              "last": { "type": "waitSignal", "signal": "last", "next": "done" },
              "done": { "type": "end", "output": "= met" } } }
            """);
        var started = await first.StartAsync("inclusive", input);
        Assert.Equal(waiting, string.Join(", ", (await first.ViewAsync(started.Id)).Waits.Select(w => w.Step)));
        await first.DisposeAsync();

        var engine = await EngineAsync(1);
        foreach (var signal in signals.Split(", ").Append("last"))
        {
            Assert.Contains(signal, (await engine.ViewAsync(started.Id)).Waits.Select(w => w.Step));
            await engine.SignalAsync(signal, started.Id);
        }

        Assert.Equal("1", await engine.OutputAsync(started.Id));
        var lines = await engine.Engine.FindHistoryAsync(started.Id, Cancel);
        Assert.Equal(waiting, Assert.Single(lines!, l => l.Event == "forked").Detail);
    }

    [Fact]
    public async Task Inclusive_fork_straight_to_its_join_continues_at_once()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "straight", "version": 1, "start": "split", "steps": {
              "split": { "type": "inclusive", "cases": [ { "when": "= true", "next": "met" } ], "otherwise": "never", "join": "met" },
              "never": { "type": "fail", "error": "nobody should come here" },
              "met": { "type": "join", "next": "done" }, "done": { "type": "end", "output": "met" } } }
            """);

        Assert.Equal("\"met\"", await engine.OutputAsync((await engine.StartAsync("straight")).Id));
    }

    [Fact]
    public async Task Branch_that_ends_leaves_the_join_to_the_others()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "oneEnds", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "ends", "waits" ], "join": "both" },
              "ends": { "type": "decide", "cases": [ { "when": "= stop", "next": "over" } ], "otherwise": "both" },
              "over": { "type": "end" },
              "waits": { "type": "waitSignal", "signal": "go", "next": "both" },
              "both": { "type": "join", "next": "done" },
              "done": { "type": "end", "output": "joined" } } }
            """);
        var started = await engine.StartAsync("oneEnds", """{ "stop": true }""");

        Assert.Equal(InstanceState.Waiting, started.State);
        await engine.SignalAsync("go", started.Id);

        Assert.Equal("\"joined\"", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Instance_completes_when_every_branch_has_ended()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "allEnd", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "a", "b" ], "join": "both" },
              "a": { "type": "decide", "cases": [ { "when": "= true", "next": "endA" } ], "otherwise": "both" },
              "endA": { "type": "end", "output": "a" },
              "b": { "type": "waitSignal", "signal": "go", "next": "c" },
              "c": { "type": "decide", "cases": [ { "when": "= true", "next": "endB" } ], "otherwise": "both" },
              "endB": { "type": "end", "output": "b" },
              "both": { "type": "join", "next": "done" },
              "done": { "type": "fail", "error": "nobody should come here" } } }
            """);
        var started = await engine.StartAsync("allEnd");
        await engine.SignalAsync("go", started.Id);

        Assert.Equal("\"b\"", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Terminating_end_takes_every_other_branch_with_it()
    {
        var engine = await EngineAsync(2).WithAsync(
            """
            { "name": "terminate", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "a", "b", "c" ], "join": "both" },
              "a": { "type": "waitSignal", "signal": "a", "correlation": "= id", "next": "both" },
              "b": { "type": "delay", "duration": "PT1H", "next": "both" },
              "c": { "type": "waitSignal", "signal": "c", "next": "stop" },
              "stop": { "type": "end", "terminate": true, "output": "stopped" },
              "both": { "type": "join", "next": "done" },
              "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("terminate", """{ "id": "t" }""");

        await engine.SignalAsync("c", started.Id);

        Assert.Equal("\"stopped\"", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.False((await engine.SignalAsync("a", "t")).Delivered);
        Assert.Single(engine.Events.Of<InstanceCompleted>());
        Assert.Empty((await engine.ViewAsync(started.Id)).Waits);
    }

    [Fact]
    public async Task History_records_every_step_of_every_branch_in_order()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "steps", "version": 1, "start": "prepare", "steps": {
              "prepare": { "type": "set", "values": { "n": "= 1", "m": "= 2" }, "next": "route" },
              "route": { "type": "decide", "cases": [ { "when": "= n > 1", "next": "done" } ], "otherwise": "split" },
              "split": { "type": "fork", "branches": [ "a", "b" ], "join": "both" },
              "a": { "type": "set", "values": { "a": "= 1" }, "next": "both" },
              "b": { "type": "waitSignal", "signal": "go", "next": "both" },
              "both": { "type": "join", "next": "report" },
              "report": { "type": "raise", "event": "Joined", "next": "done" },
              "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("steps");
        await engine.SignalAsync("go", started.Id);
        await engine.Events.CompletedAsync(started.Id, Cancel);

        Assert.Equal(
            [
                "started prepare", "set prepare", "decided route", "forked split", "set a", "joined both", "waiting b",
                "signalled b",
                "joined both", "raised report", "completed",
            ],
            await engine.HistoryAsync(started.Id));
        var lines = await engine.Engine.FindHistoryAsync(started.Id, Cancel);
        Assert.Equal(
            ["split", "a", "Joined"], lines!.Where(l => l.Step is "route" or "a" or "report").Select(l => l.Detail));
    }

    [Fact]
    public async Task History_of_a_long_loop_keeps_room_for_what_comes_after_it()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "loop", "version": 1, "start": "add", "steps": {
              "add": { "type": "set", "values": { "n": "= n + 1" }, "next": "again" },
              "again": { "type": "decide", "cases": [ { "when": "= n < 2000", "next": "add" } ], "otherwise": "wait" },
              "wait": { "type": "waitSignal", "signal": "go", "next": "done" },
              "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("loop", """{ "n": 0 }""");
        await engine.SignalAsync("go", started.Id);
        await engine.Events.CompletedAsync(started.Id, Cancel);

        var history = await engine.HistoryAsync(started.Id);

        Assert.Equal(503, history.Count);
        Assert.StartsWith("stepsTruncated", history[499], StringComparison.Ordinal);
        Assert.Equal(["waiting wait", "signalled wait", "completed"], history.Skip(500));
    }

    [Fact]
    public async Task Failed_branch_ends_the_waits_of_the_others()
    {
        var engine = await EngineAsync(2).WithAsync(
            """
            { "name": "oneFails", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "a", "b" ], "join": "both" },
              "a": { "type": "waitSignal", "signal": "a", "correlation": "= id", "next": "both" },
              "b": { "type": "decide", "cases": [ { "when": "= ok = true", "next": "both" } ], "otherwise": "broken" },
              "broken": { "type": "fail", "error": "broken" },
              "both": { "type": "join", "next": "done" },
              "done": { "type": "end" } } }
            """);

        var failed = await engine.StartAsync("oneFails", """{ "id": "x" }""");
        Assert.Equal(InstanceState.Failed, failed.State);
        await engine.IdleAsync();

        Assert.False((await engine.SignalAsync("a", "x")).Delivered);
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }
}
