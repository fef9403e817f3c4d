namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// What users of other engines complain about and no other suite shows. The table of all complaints, with their
/// sources, is in the engine's README.
/// </summary>
public abstract class ComplaintConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Signal_that_was_answered_as_delivered_leaves_no_wait_behind(bool byKey)
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "both", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "a", "b" ], "join": "over" },
              "a": { "type": "waitSignal", "signal": "go", "correlation": "= id", "next": "over" },
              "b": { "type": "waitSignal", "signal": "stop", "correlation": "= id", "next": "over" },
              "over": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("both", """{ "id": "k" }""", key: "k");

        var accepted = byKey ? await engine.SignalAsync("go", "k") : await engine.SignalAsync("go", started.Id);

        Assert.True(accepted.Delivered);
        Assert.Equal("b", Assert.Single((await engine.ViewAsync(started.Id)).Waits).Step);
        Assert.False((await engine.SignalAsync("go", "k")).Delivered);
        await engine.DisposeAsync();
        engine = await EngineAsync();
        Assert.Equal("b", Assert.Single((await engine.ViewAsync(started.Id)).Waits).Step);
        Assert.True((await engine.SignalAsync("stop", "k")).Delivered);
        Assert.Empty((await engine.ViewAsync(started.Id)).Waits);
        Assert.Equal((0, 1), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.BufferedSignals));
    }

    [Fact]
    public async Task Correlation_is_any_expression()
    {
        const string Input = """{ "requestId": "r-1", "request": { "Id": "R-2", "line": 7 } }""";
        (string Correlation, string Key)[] cases =
        [
            ("=requestId", "r-1"),
            ("= request.Id", "R-2"),
            ("= upper(requestId)", "R-1"),
            ("= concat(requestId, \"/\", string(request.line))", "r-1/7"),
            ("constant", "constant"),
        ];
        var engine = await EngineAsync();
        foreach (var (number, (correlation, key)) in cases.Index())
        {
            await engine.RegisterAsync(
                $$"""
                { "name": "correlated{{number}}", "version": 1, "start": "wait", "steps": {
                  "wait": { "type": "waitSignal", "signal": "go", "next": "done",
                    "correlation": {{JsonSerializer.Serialize(correlation)}} },
                  "done": { "type": "end" } } }
                """);
            var started = await engine.StartAsync($"correlated{number}", Input, key: key);

            Assert.True((await engine.SignalAsync("go", key)).Delivered, correlation);

            Assert.Equal(InstanceState.Completed, (await engine.ViewAsync(started.Id)).State);
        }
    }

    [Fact]
    public async Task Ten_thousand_waiting_instances_all_continue()
    {
        const int Count = 10_000;
        var time = new ManualTime();
        var options = new WorkflowEngineOptions { Lanes = 2, Limits = new() { MaxPendingCommands = 2 * Count } };
        var engine = await EngineAsync(options, time).WithAsync(Definitions.WaitAMinute);
        await Task.WhenAll(
            Enumerable.Range(0, Count)
                .Select(i => engine.StartAsync("waitAMinute", $$"""{ "id": "{{i}}" }""", key: $"{i}")));
        Assert.Equal(Count, engine.Engine.Statistics.LiveInstances);

        await Task.WhenAll(Enumerable.Range(0, Count / 2).Select(i => engine.SignalAsync("go", $"{i}", "1")));
        time.Advance(TimeSpan.FromMinutes(1));
        await Eventually.HoldsAsync(() => engine.Engine.Statistics.Completed == Count, "every instance completes");
        await engine.IdleAsync();

        var statistics = engine.Engine.Statistics;
        Assert.Equal(
            (Count, 0, Count / 2), (statistics.Completed, statistics.LiveInstances, statistics.SignalsConsumed));
        Assert.Equal((0, 0), (statistics.FailedFlushes, statistics.PendingCommands));
    }

    [Fact]
    public async Task Fan_out_over_all_lanes_at_once_costs_no_failed_flush()
    {
        const int Parents = 60;
        const int Branches = 8;
        var branches = Enumerable.Range(0, Branches).ToArray();
        var calls = branches.Select(b =>
            $$""" "c{{b}}": { "type": "call", "definition": "waitForGo", "input": { "id": "= id + \"-{{b}}\"" }, "next": "all" }, """);
        var engine = await EngineAsync(lanes: 8).WithAsync(Definitions.WaitForGo, $$"""
            { "name": "fanOut", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ {{string.Join(", ", branches.Select(b => $"\"c{b}\""))}} ],
                "join": "all" },
              {{string.Concat(calls)}}
              "all": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
            """);

        var started = Task.WhenAll(
            Enumerable.Range(0, Parents).Select(p => engine.StartAsync("fanOut", $$"""{ "id": "p{{p}}" }""")));
        await Task.WhenAll(
            Enumerable.Range(0, Parents).SelectMany(p => branches.Select(b => engine.SignalAsync("go", $"p{p}-{b}"))));
        await started;
        await engine.IdleAsync();

        var statistics = engine.Engine.Statistics;
        Assert.Equal(
            (Parents * (1 + Branches), Parents * Branches), (statistics.Completed, statistics.SignalsConsumed));
        Assert.Equal((0, 0), (statistics.FailedFlushes, statistics.LaneReloads));
    }

    [Fact]
    public async Task Empty_id_is_refused_and_nothing_is_executed()
    {
        var engine = await EngineAsync().WithAsync(Definitions.Empty, Definitions.WaitForGo);

        foreach (var (named, call) in new (string, Func<Task>)[]
        {
            ("'Idempotency-Key'", () => engine.StartAsync("empty", idempotencyKey: "")),
            ("'correlationKey'", () => engine.StartAsync("empty", key: "")),
            ("'Idempotency-Key'", () => engine.SignalAsync("go", "k", idempotencyKey: "")),
            ("'correlationKey'", () => engine.SignalAsync("go", "")),
            ("'name'", () => engine.SignalAsync("", "k")),
        })
        {
            var refused = await Assert.ThrowsAsync<InvalidCommandException>(call);
            Assert.Contains(named, refused.Message, StringComparison.Ordinal);
        }

        var computed = await engine.StartAsync("waitForGo", """{ "id": "" }""");
        Assert.Equal(InstanceState.Failed, computed.State);
        Assert.Equal((1, 0), (engine.Engine.Statistics.Started, engine.Engine.Statistics.Signals));
    }
}
