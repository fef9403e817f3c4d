namespace IntegrationTests.Shared.Conformance;

/// <summary>Starting instances that run without an outside event.</summary>
public abstract class StartingConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Instance_without_waits_ends_in_one_commit()
    {
        Assert.SkipWhen(
            Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Activities = [TestActivities.Double] }).WithAsync(
            """
            { "name": "linear", "version": 1, "start": "total", "steps": {
              "total": { "type": "set", "values": { "total": "= price * quantity" }, "next": "route" },
              "route": { "type": "decide", "cases": [ { "when": "= total > 100", "next": "twice" } ], "otherwise": "small" },
              "twice": { "type": "invoke", "activity": "double", "input": "= total", "result": "total", "next": "tell" },
              "tell": { "type": "raise", "event": "Ordered", "payload": { "total": "= total" }, "next": "done" },
              "small": { "type": "fail", "error": "= \"only \" + string(total)" },
              "done": { "type": "end", "output": { "total": "= total" } } } }
            """);

        var started = await engine.StartAsync("linear", """{ "price": 30, "quantity": 5 }""", key: "order-1");

        Assert.Equal(InstanceState.Completed, started.State);
        Assert.False(started.Duplicate);
        Assert.Equal(1, engine.Engine.Statistics.Flushes);
        Assert.Equal("""{"total":300}""", await engine.OutputAsync(started.Id));
        var raised = Assert.Single(engine.Events.Of<EventRaised>());
        Assert.Equal(
            ("Ordered", "order-1", "linear", 1),
            (raised.Type, raised.CorrelationKey, raised.Definition, raised.DefinitionVersion));
        Assert.Equal("""{"total":300}""", raised.Payload!.Value.GetRawText());
        var view = await engine.ViewAsync(started.Id);
        Assert.Equal((InstanceState.Completed, "order-1", 1), (view.State, view.CorrelationKey, view.Version));
        Assert.Empty(view.Waits);
        Assert.Equal("""{"total":300}""", view.Output!.Value.GetRawText());
        Assert.Equal(300, view.Variables.GetProperty("total").GetInt32());
    }

    [Fact]
    public async Task Context_entry_sees_those_before_it_and_not_a_variable()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "sums", "version": 1, "start": "sum", "steps": {
              "sum": { "type": "set", "values": { "sum": "= {net: price * amount, gross: net * 1.2, all: [{net: net + 1, gross: net}]}" }, "next": "done" },
              "done": { "type": "end", "output": { "text": "= string(sum)", "net": "= net", "sum": { "net": "= sum.gross", "gross": "= net" } } } } }
            """);

        var started = await engine.StartAsync("sums", """{ "price": 10, "amount": 3, "net": 7, "gross": 8 }""");

        var output = Value.Parse((await engine.OutputAsync(started.Id))!).AsContext();
        Assert.Equal("""{"net":30,"gross":36.0,"all":[{"net":31,"gross":31}]}""", output["text"].AsString());
        Assert.Equal(Value.Parse("""[7, { "net": 36, "gross": 7 }]"""), Value.From([output["net"], output["sum"]]));
    }

    [Fact]
    public async Task Value_in_an_error_and_as_a_text_keeps_its_characters()
    {
        const string Names = """["Zoë 😀 <b> & 'x' +"]""";
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "names", "version": 1, "start": "text", "steps": {
              "text": { "type": "set", "values": { "text": "= string(names)" }, "next": "wait" },
              "wait": { "type": "waitSignal", "signal": "go", "correlation": "= names", "next": "done" }, "done": { "type": "end" } } }
            """);

        var started = await engine.StartAsync("names", $$"""{ "names": {{Names}} }""");

        var view = await engine.ViewAsync(started.Id);
        Assert.Equal(Names, view.Variables.GetProperty("text").GetString());
        AssertHolds(view.Error!.Message, $"gave {Names}");
    }

    [Fact]
    public async Task Decision_takes_the_first_case_that_holds()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "route", "version": 1, "start": "route", "steps": {
              "route": { "type": "decide", "cases": [ { "when": "= n > 10", "next": "big" }, { "when": "n > 5", "next": "middle" } ], "otherwise": "small" },
              "big": { "type": "end", "output": "big" },
              "middle": { "type": "end", "output": "middle" },
              "small": { "type": "end", "output": "small" } } }
            """);

        Assert.Equal("\"big\"", await engine.OutputAsync((await engine.StartAsync("route", """{ "n": 11 }""")).Id));
        Assert.Equal("\"middle\"", await engine.OutputAsync((await engine.StartAsync("route", """{ "n": 6 }""")).Id));
        Assert.Equal("\"small\"", await engine.OutputAsync((await engine.StartAsync("route", """{ "n": 1 }""")).Id));
    }

    [Fact]
    public async Task Set_reads_every_value_before_it_writes_any()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "swap", "version": 1, "start": "swap", "steps": {
              "swap": { "type": "set", "values": { "a": "= b", "b": "= a" }, "next": "done" },
              "done": { "type": "end", "output": [ "= a", "= b" ] } } }
            """);

        var started = await engine.StartAsync("swap", """{ "a": 1, "b": 2 }""");

        Assert.Equal("[2,1]", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Step_that_fails_on_purpose_fails_the_instance_with_its_words()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "refuse", "version": 1, "start": "no", "steps": { "no": { "type": "fail", "error": "= \"no credit for \" + name" } } }
            """);

        var started = await engine.StartAsync("refuse", """{ "name": "Ann" }""");

        Assert.Equal(InstanceState.Failed, started.State);
        var failed = await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal(("no credit for Ann", "no"), (failed.Error, failed.Step));
        var view = await engine.ViewAsync(started.Id);
        Assert.Equal(InstanceState.Failed, view.State);
        Assert.Equal(new InstanceError("no credit for Ann", "no"), view.Error);
        Assert.Equal(1, engine.Engine.Statistics.Failed);
    }

    [Fact]
    public async Task Signal_without_a_waiter_starts_one_instance()
    {
        Assert.SkipWhen(
            Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var first = await EngineAsync(2).WithAsync(Opened());
        Assert.True((await first.SignalAsync("open", "k1", """{ "n": 7 }""", "key")).Delivered);
        Assert.True((await first.SignalAsync("open", "k1", """{ "n": 7 }""", "key")).Duplicate);
        await first.IdleAsync();
        Assert.Equal((1, 1), (first.Engine.Statistics.Started, first.Engine.Statistics.Flushes));
        await first.DisposeAsync();

        var engine = await EngineAsync(3);
        Assert.True((await engine.SignalAsync("noted", "k2", "[ 1 ]")).Delivered);

        var ends = await engine.Events.WaitAsync<InstanceCompleted>(2, _ => true, Cancel);
        Assert.Equal([("k1", "[7,null]"), ("k2", "[null,[1]]")],
            ends.Select(e => (e.CorrelationKey!, e.Output!.Value.GetRawText())).Order());
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
        Assert.Equal(["started done", "completed"], await engine.HistoryAsync(ends[0].InstanceId!.Value));
    }

    [Fact]
    public async Task Signal_taken_by_a_wait_starts_nothing()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(1, time).WithAsync(Opened(),
            """
            { "name": "waiting", "version": 1, "start": "wait", "steps": {
              "wait": { "type": "waitSignal", "signal": "open", "correlation": "= id", "result": "answer", "next": "done" },
              "done": { "type": "end", "output": "= answer" } } }
            """);
        var waiting = await engine.StartAsync("waiting", """{ "id": "k" }""");

        await engine.SignalAsync("open", "k", "5");
        Assert.Equal("5", await engine.OutputAsync(waiting.Id));
        await engine.SignalAsync("open", "k", "{}", dueAt: time.GetUtcNow() + TimeSpan.FromMinutes(1));
        Assert.Equal(1, engine.Engine.Statistics.Started);
        time.Advance(TimeSpan.FromMinutes(1));

        Assert.Equal("[null,null]",
            (await engine.Events.WaitAsync<InstanceCompleted>(2, _ => true, Cancel))[1].Output!.Value.GetRawText());
        Assert.Equal(2, engine.Engine.Statistics.Started);
    }

    [Fact]
    public async Task Instance_whose_signal_lacks_variables_fails()
    {
        var engine = await EngineAsync().WithAsync(Opened());

        Assert.True((await engine.SignalAsync("open", "k", "[ 1 ]")).Delivered);

        var failed = (await engine.Events.WaitAsync<InstanceFailed>(1, _ => true, Cancel))[0];
        Assert.Equal("k", failed.CorrelationKey);
        AssertHolds(failed.Error, "'open'", "is a List", "'result'");
    }

    [Fact]
    public async Task Signal_starts_the_newest_version_of_its_definition()
    {
        var engine = await EngineAsync().WithAsync(Opened());

        var refused = await Assert.ThrowsAsync<DefinitionInvalidException>(() => engine.RegisterAsync(Opened("other")));
        AssertHolds(refused.Message, "startOn[0].signal", "'open' starts 'opened' version 1");
        await engine.RegisterAsync(Opened(version: 2));
        await engine.SignalAsync("open", "k");
        Assert.Equal(2, (await engine.Events.WaitAsync<InstanceCompleted>(1, _ => true, Cancel))[0].DefinitionVersion);

        await engine.RegisterAsync(
            """{ "name": "opened", "version": 3, "start": "done", "steps": { "done": { "type": "end" } } }""");
        Assert.False((await engine.SignalAsync("open", "k")).Delivered);
        await engine.RegisterAsync(Opened("other"));
        Assert.True((await engine.SignalAsync("open", "k2")).Delivered);
    }

    private static string Opened(string name = "opened", int version = 1) =>
        $$"""
        { "name": "{{name}}", "version": {{version}}, "start": "done", "startOn": [ { "signal": "open" }, { "signal": "noted", "result": "note" } ],
          "steps": { "done": { "type": "end", "output": [ "= n", "= note" ] } } }
        """;

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Missing_correlation_value_stops_the_instance(int lanes)
    {
        var engine = await EngineAsync(lanes).WithAsync(
            """
            { "name": "lost", "version": 1, "start": "wait", "steps": {
              "wait": { "type": "waitSignal", "signal": "go", "correlation": "= order.number", "next": "done" }, "done": { "type": "end" } } }
            """);

        var started = await engine.StartAsync("lost", """{ "customer": 7, "amount": 1 }""");

        Assert.Equal(InstanceState.Failed, started.State);
        var error = (await engine.ViewAsync(started.Id)).Error!;
        Assert.Equal(("wait", "= order.number"), (error.Step, error.Expression));
        AssertHolds(error.Message, "'wait'", "= order.number", "Variables: amount, customer");
    }

    [Fact]
    public async Task Loop_without_a_wait_fails_with_its_path()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, MaxStepsPerCommand = 100 }).WithAsync(
            """
            { "name": "loop", "version": 1, "start": "one", "steps": {
              "one": { "type": "set", "values": { "n": "= 1" }, "next": "two" },
              "two": { "type": "decide", "cases": [ { "when": "= stop = true", "next": "done" } ], "otherwise": "one" },
              "done": { "type": "end" } } }
            """);

        var endless = await engine.StartAsync("loop");
        var other = await engine.StartAsync("loop", """{ "stop": true }""");

        Assert.Equal(InstanceState.Failed, endless.State);
        var failed = await engine.Events.FailedAsync(endless.Id, Cancel);
        AssertHolds(failed.Error, "more than 100 steps", "one > two > one", "MaxStepsPerCommand");
        Assert.Equal(InstanceState.Completed, other.State);
    }

    [Fact]
    public async Task History_says_what_happened_in_order()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);

        var started = await engine.StartAsync("waitForGo", """{ "id": "h1" }""", key: "h1");
        await engine.SignalAsync("go", "h1");

        Assert.Equal(
            ["started wait", "waiting wait", "signalled wait", "completed"], await engine.HistoryAsync(started.Id));
        Assert.Null(await engine.Engine.FindHistoryAsync(Guid.NewGuid(), Cancel));
        Assert.Null(await engine.Engine.FindInstanceAsync(Guid.NewGuid(), Cancel));
    }

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Concurrent_starts_share_commits(int lanes)
    {
        var engine = await EngineAsync(lanes).WithAsync(Definitions.WaitForGo);

        var started = await Task.WhenAll(
            Enumerable.Range(0, 300).Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "m{{i}}" }""")));

        Assert.Equal(300, started.Select(s => s.Id).Distinct().Count());
        Assert.All(started, s => Assert.Equal(InstanceState.Waiting, s.State));
        await engine.IdleAsync();
        var statistics = engine.Engine.Statistics;
        Assert.Equal((300, 300), (statistics.Started, statistics.LiveInstances));
        Assert.Equal(0, statistics.PendingCommands);
    }
}
