namespace IntegrationTests.Shared.Conformance;

/// <summary>Signals by key and by id, waited for or not.</summary>
public abstract class SignalConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Signal_with_an_unknown_name_is_reported()
    {
        var options = new WorkflowEngineOptions
        {
            Lanes = 2, SignalReceivers = [new() { Name = "burst" }],
        };
        var engine = await EngineAsync(options).WithAsync(Definitions.WaitForGo,
            """
            { "name": "some", "version": 1, "start": "first", "startOn": [ { "signal": "open" } ], "steps": {
              "first": { "type": "waitFirst",
                "events": [ { "signal": "noted", "next": "ask" }, { "duration": "PT1H", "next": "ask" } ] },
              "ask": { "type": "task", "next": "done", "boundary": [ { "signal": "stop", "next": "done" } ] },
              "done": { "type": "end" } } }
            """);
        await engine.DisposeAsync();
        engine = await EngineAsync(options);

        foreach (var known in new[] { "go", "noted", "stop", "open", "burst" })
        {
            Assert.Null((await engine.SignalAsync(known, "k")).Unreceived);
        }

        Assert.Equal(0, engine.Engine.Statistics.UnreceivedSignals);
        foreach (var unknown in new[] { "typo", "Go" })
        {
            Assert.True((await engine.SignalAsync(unknown, "k")).Unreceived);
        }

        Assert.Equal(2, engine.Engine.Statistics.UnreceivedSignals);
    }

    [Fact]
    public async Task New_definition_takes_a_waiting_signal()
    {
        var engine = await EngineAsync();
        Assert.True((await engine.SignalAsync("go", "a", "7")).Unreceived);

        await engine.RegisterAsync(Definitions.WaitForGo);

        Assert.Equal(
            "7", await engine.OutputAsync((await engine.StartAsync("waitForGo", """{ "id": "a" }""", key: "a")).Id));
        Assert.Null((await engine.SignalAsync("go", "a")).Unreceived);
    }

    [Fact]
    public async Task Signal_with_an_unknown_name_is_refused_if_configured()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, RefusesUnreceivedSignals = true })
            .WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");

        AssertHolds(
            (await Assert.ThrowsAsync<SignalUnreceivedException>(() => engine.SignalAsync("goo", "a"))).Message,
            "'goo'");
        await Assert.ThrowsAsync<SignalUnreceivedException>(() => engine.SignalAsync("goo", started.Id));
        Assert.True((await engine.SignalAsync("go", "a")).Delivered);
        Assert.Equal((1, 0), (engine.Engine.Statistics.Signals, engine.Engine.Statistics.UnreceivedSignals));
    }

    [Fact]
    public async Task Signal_by_key_resumes_the_waiter_and_brings_its_payload()
    {
        Assert.SkipWhen(Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""", key: "a");

        var waiting = await engine.ViewAsync(started.Id);
        Assert.Equal(new InstanceWait("wait", "signal", "go", "a", null), Assert.Single(waiting.Waits));
        var accepted = await engine.SignalAsync("go", "a", """{ "n": 1 }""");

        Assert.True(accepted.Delivered);
        Assert.Equal("""{"n":1}""", await engine.OutputAsync(started.Id));
        Assert.Equal(InstanceState.Completed, (await engine.ViewAsync(started.Id)).State);
        Assert.Equal(2, engine.Engine.Statistics.Flushes);
    }

    [Fact]
    public async Task Signal_by_id_resumes_the_instance()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo, Definitions.WaitById);
        var keyed = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        var plain = await engine.StartAsync("waitById");

        Assert.True((await engine.SignalAsync("go", keyed.Id, "1")).Delivered);
        Assert.True((await engine.SignalAsync("go", plain.Id, "2")).Delivered);

        Assert.Equal("1", await engine.OutputAsync(keyed.Id));
        Assert.Equal("2", await engine.OutputAsync(plain.Id));
        await engine.IdleAsync();
        var later = await engine.SignalAsync("go", "a", "3");
        Assert.False(later.Delivered);
    }

    [Fact]
    public async Task Signal_before_the_start_is_kept_for_the_wait()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);

        var early = await engine.SignalAsync("go", "a", "\"early\"");
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");

        Assert.False(early.Delivered);
        Assert.Equal("\"early\"", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Signal_that_is_kept_says_until_when(bool byId)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(1, time).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");

        var kept = byId
            ? await engine.SignalAsync("other", started.Id, "1", "once")
            : await engine.SignalAsync("other", "a", "1", "once");
        var again = byId
            ? await engine.SignalAsync("other", started.Id, "1", "once")
            : await engine.SignalAsync("other", "a", "1", "once");
        var delivered = byId ? await engine.SignalAsync("go", started.Id) : await engine.SignalAsync("go", "a");

        var until = time.GetUtcNow() + TimeSpan.FromHours(1);
        Assert.Equal(
            new(kept.Id, Delivered: false, Duplicate: false, Kept: true, KeptUntil: until, Unreceived: true), kept);
        Assert.Equal(kept with { Duplicate = true }, again);
        Assert.Equal(new(delivered.Id, Delivered: true, Duplicate: false), delivered);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Repeated_signal_that_was_taken_is_not_kept(bool expires)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(1, time).WithAsync(Definitions.WaitForGo);
        await engine.SignalAsync("go", "a", "1", "once");
        if (expires)
        {
            time.Advance(TimeSpan.FromHours(1));
            await engine.SettleAsync();
        }
        else
        {
            await engine.OutputAsync((await engine.StartAsync("waitForGo", """{ "id": "a" }""")).Id);
        }

        var again = await engine.SignalAsync("go", "a", "1", "once");

        Assert.Equal((false, true, false, null), (again.Delivered, again.Duplicate, again.Kept, again.KeptUntil));
    }

    [Fact]
    public async Task Signals_before_their_waits_are_taken_first_in_first_out()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitTwice);
        for (var i = 1; i <= 3; i++)
        {
            await engine.SignalAsync("go", "a", $"{i}");
        }

        var first = await engine.StartAsync("waitTwice", """{ "id": "a" }""");
        Assert.Equal("[1,2]", await engine.OutputAsync(first.Id));
        await engine.IdleAsync();
        Assert.Equal(1, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Signal_by_id_before_its_wait_is_kept_in_order()
    {
        var engine = await EngineAsync(2).WithAsync(
            """
            { "name": "later", "version": 1, "start": "gate", "steps": {
              "gate": { "type": "waitSignal", "signal": "open", "next": "one" },
              "one": { "type": "waitSignal", "signal": "go", "result": "a", "next": "two" },
              "two": { "type": "waitSignal", "signal": "go", "result": "b", "next": "done" },
              "done": { "type": "end", "output": [ "= a", "= b" ] } } }
            """);
        var started = await engine.StartAsync("later");

        Assert.False((await engine.SignalAsync("go", started.Id, "1")).Delivered);
        Assert.False((await engine.SignalAsync("go", started.Id, "2")).Delivered);
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
        Assert.True((await engine.SignalAsync("open", started.Id)).Delivered);

        Assert.Equal("[1,2]", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Oldest_of_two_waiters_gets_the_signal()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        var older = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await engine.IdleAsync();
        var younger = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await engine.IdleAsync();

        await engine.SignalAsync("go", "a", "1");
        Assert.Equal("1", await engine.OutputAsync(older.Id));
        await engine.IdleAsync();
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(younger.Id)).State);

        await engine.SignalAsync("go", "a", "2");
        Assert.Equal("2", await engine.OutputAsync(younger.Id));
    }

    [Fact]
    public async Task Signal_of_another_name_or_key_resumes_no_instance()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");

        Assert.False((await engine.SignalAsync("stop", "a")).Delivered);
        Assert.False((await engine.SignalAsync("go", "b")).Delivered);
        Assert.False((await engine.SignalAsync("stop", started.Id)).Delivered);
        await engine.IdleAsync();

        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
    }

    [Fact]
    public async Task Correlation_value_that_is_a_number_meets_its_text()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": 4711 }""");
        await engine.IdleAsync();

        await engine.SignalAsync("go", "4711", "true");

        Assert.Equal("true", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Signal_to_a_finished_instance_is_refused_with_its_state()
    {
        var engine = await EngineAsync().WithAsync(Definitions.Empty);
        var started = await engine.StartAsync("empty");

        var error = await Assert.ThrowsAsync<InstanceFinishedException>(() => engine.SignalAsync("go", started.Id));

        AssertHolds(error.Message, started.Id.ToString(), "completed");
        Assert.Equal(0, engine.Engine.Statistics.Signals);
    }

    [Fact]
    public async Task Signal_to_an_unknown_instance_is_refused()
    {
        var engine = await EngineAsync(2);
        var unknown = Guid.NewGuid();

        var error = await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.SignalAsync("go", unknown));

        Assert.Contains(unknown.ToString(), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Signal_that_its_instance_never_took_is_reported_when_it_ends()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitById);
        var started = await engine.StartAsync("waitById");
        await engine.SignalAsync("other", started.Id);

        await engine.SignalAsync("go", started.Id);

        var expired = await engine.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        Assert.Equal(("other", started.Id), (expired[0].Name, expired[0].InstanceId));
        Assert.Contains("finished without taking it", expired[0].Reason, StringComparison.Ordinal);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Signal_and_its_wait_never_miss_each_other()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);

        // Starts and signals race: each signal meets the wait before, in or after its batch.
        var starts = Enumerable.Range(0, 200).Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "r{{i}}" }"""));
        var signals = Enumerable.Range(0, 200).Select(i => engine.SignalAsync("go", $"r{i}", $"{i}"));
        var tasks = starts.Cast<Task>().Zip(signals, (s, g) => new[] { s, g }).SelectMany(p => p).ToArray();
        await Task.WhenAll(tasks);

        var completed = await engine.Events.WaitAsync<InstanceCompleted>(200, _ => true, Cancel);
        Assert.Equal(Enumerable.Range(0, 200), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        await engine.IdleAsync();
        Assert.Equal((0, 0), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.BufferedSignals));
    }
}
