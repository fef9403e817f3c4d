using static IntegrationTests.Shared.Conformance.SubProcessDefinitions;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Embedded sub-processes: all tokens inside end together, and the outer flow continues once.</summary>
public abstract class SubProcessConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    // With two lanes, the first is in another lane than the second.
    private static readonly string Home = KeyIn(2, "home");
    private static readonly string Elsewhere = KeyIn(3, "other");

    private readonly ManualTime _time = new();
    private readonly TaskCompletionSource<Value> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Fact]
    public async Task Sub_process_shares_variables_and_ends_with_its_last_token()
    {
        var first = await CheckingAsync(2);
        var id = await StartAsync(first);
        Assert.Equal(
            ["ask task", "check delay", "check delay", "check signal", "check signal", "each call", "each call",
                "each callEach",
                "other signal", "pause signal", "work activity"],
            await WaitsAsync(first, id));
        await first.SignalAsync("poke", id, "1");
        await first.DisposeAsync();

        var engine = await CheckingAsync(1);
        await CompleteAsync(engine, 7);
        await engine.SignalAsync("go", Elsewhere + "a");
        await engine.SignalAsync("go", Elsewhere + "b", "2");
        Assert.DoesNotContain("left check", await engine.HistoryAsync(id));
        _answer.SetResult(Value.From("well"));
        await engine.IdleAsync();
        Assert.Equal(["other signal"], await WaitsAsync(engine, id));
        await engine.SignalAsync("other", id);

        Assert.Equal("""[1,7,[null,2],"well",1,null,null,null,null,null]""", await engine.OutputAsync(id));
        Assert.Equal(
            ["entered check both", "entered inner pause", "left inner all", "left check met"],
            (await engine.Engine.FindHistoryAsync(id, Cancel))!.Where(l => l.Event is "entered" or "left")
                .Select(l => $"{l.Event} {l.Step} {l.Detail}"));
        await AssertNothingIsLeftAsync(engine);
    }

    [Theory]
    [InlineData("stop"), InlineData("time"), InlineData("suspended"), InlineData("restarted")]
    public async Task What_interrupts_it_ends_everything_inside_in_one_commit(string what)
    {
        Assert.SkipWhen(Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine = await CheckingAsync(1);
        var id = await StartAsync(engine);
        var task = (await engine.Events.WaitAsync<TaskCreated>(1, _ => true, Cancel))[0].TaskId;
        var called = (await engine.ViewAsync(id)).Waits.Where(w => w.Kind == "call").Select(w => w.Id!.Value).ToArray();
        var pauses = what is "suspended" or "restarted";
        if (pauses)
        {
            await engine.SuspendAsync(id);
            await CompleteAsync(engine, 7);
        }

        var flushes = engine.Engine.Statistics.Flushes;
        if (what == "time")
        {
            _time.Advance(TimeSpan.FromHours(8));
            await engine.Events.WaitAsync<EventRaised>(1, e => e.Name == "Late", Cancel);
        }
        else
        {
            await engine.SignalAsync("stop", Elsewhere, "1");
            Assert.Equal(1, engine.Engine.Statistics.Flushes - flushes);
        }

        // Whether it was resumed or not, nothing inside is waited for any more.
        Assert.Equal(
            pauses ? ["check signal", "other signal"]
                : what == "time" ? ["other signal", "slow signal"] : ["other signal"],
            await WaitsAsync(engine, id));
        Assert.Equal((0, 1), (engine.Engine.Statistics.OpenTasks, engine.Engine.Statistics.LiveInstances));
        await Assert.ThrowsAsync<TaskClosedException>(
            () => engine.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.From(8) }, Cancel));
        foreach (var child in called)
        {
            Assert.Equal(InstanceState.Cancelled, (await engine.ViewAsync(child)).State);
        }

        if (what == "restarted")
        {
            await engine.DisposeAsync();
            engine = await CheckingAsync(2);
        }

        await (pauses ? engine.ResumeAsync(id) : Task.CompletedTask);
        _answer.SetResult(Value.From("too late"));
        await engine.SignalAsync("other", id);
        await (what == "time" ? engine.SignalAsync("slow", id) : Task.CompletedTask);
        Assert.Equal(
            what == "time" ? "[1,null,null,null,null,null,1,null,true,null]"
            : pauses ? "[1,7,null,null,null,1,null,null,null,null]" : "[1,null,null,null,null,1,null,null,null,null]",
            await engine.OutputAsync(id));
        var history = await engine.HistoryAsync(id);
        Assert.Contains(what == "time" ? "timedOut check" : "interrupted check", history);
        Assert.DoesNotContain("left inner", history);

        // The next waiter has no older waiter before it.
        await engine.SignalAsync("note", Elsewhere, "1");
        await engine.SignalAsync("go", Elsewhere + "a", "1");
        await engine.IdleAsync();
        Assert.Equal(2, engine.Engine.Statistics.BufferedSignals);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Waiting_signal_interrupts_the_sub_process_at_once(bool withNote)
    {
        _answer.SetResult(Value.From("too late"));
        var engine = await CheckingAsync(1);
        await engine.SignalAsync("stop", Elsewhere, "1");
        await (withNote ? engine.SignalAsync("note", Elsewhere, "\"a\"") : Task.CompletedTask);

        var id = await StartAsync(engine);

        // The events behind one that begins a token wait until that has come to rest.
        Assert.Equal(withNote ? 1 : 0, (await engine.HistoryAsync(id)).Count(l => l == "waiting ask"));
        Assert.Equal(["other signal"], await WaitsAsync(engine, id));
        await engine.SignalAsync("other", id);
        Assert.Equal($"[1,null,null,null,null,1,null,{(withNote ? "\"a\"" : "null")},null,null]",
            await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Outer_join_waits_for_tokens_of_sub_process_events()
    {
        _answer.SetResult(Value.From("well"));
        var engine = await CheckingAsync(2);
        var id = await StartAsync(engine);
        await engine.SignalAsync("note", Elsewhere, "\"a\"");
        await engine.IdleAsync();
        await engine.SignalAsync("note", Elsewhere, "\"b\"");
        _time.Advance(TimeSpan.FromHours(1));
        await engine.Events.WaitAsync<EventRaised>(1, e => e.Name == "Reminded", Cancel);
        await engine.IdleAsync();
        Assert.Equal(3, (await engine.HistoryAsync(id)).Count(l => l == "branched check"));
        Assert.Contains("ask task", await WaitsAsync(engine, id));

        await engine.SignalAsync("stop", Elsewhere, "1");
        await engine.SignalAsync("other", id);
        await engine.IdleAsync();
        Assert.Equal(["slow signal"], await WaitsAsync(engine, id));
        await engine.SignalAsync("slow", id);

        Assert.Equal("""[1,null,null,"well",null,1,1,"ab",null,null]""", await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Theory]
    [InlineData("task"), InlineData("subProcess")]
    public async Task Events_that_came_while_suspended_are_all_waited_for_again(string type)
    {
        var engine = await EngineAsync().WithAsync(Noted(type));
        var started = await engine.StartAsync("noted", """{ "id": "k" }""");
        await engine.SuspendAsync(started.Id);
        await engine.SignalAsync("a", "k", "\"1\"");
        await engine.SignalAsync("b", "k", "\"2\"");
        await engine.ResumeAsync(started.Id);

        await engine.SignalAsync("a", "k", "\"3\"");
        await engine.SignalAsync("b", "k", "\"4\"");
        await CompleteAsync(engine, 7);

        Assert.Equal("\"1234\"", await engine.OutputAsync(started.Id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Event_received_while_suspended_reaches_its_sub_process()
    {
        var engine = await EngineAsync().WithAsync(Noted("subProcess"));
        var started = await engine.StartAsync("noted", """{ "id": "k" }""");
        await engine.SuspendAsync(started.Id);
        await CompleteAsync(engine, 7);
        await engine.SignalAsync("b", "k", "\"2\"");
        await engine.SignalAsync("a", "k", "\"1\"");

        await engine.ResumeAsync(started.Id);

        Assert.Equal("\"21\"", await engine.OutputAsync(started.Id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Error_goes_to_the_innermost_catching_sub_process()
    {
        var dull = TestActivities.Of(
            "dull", (_, _) => throw new NonRetryableActivityException("it is dull") { Code = "DULL" }, inline: true);
        var options = new WorkflowEngineOptions { Lanes = 1, Activities = [TestActivities.Broken, dull] };
        var engine = await EngineAsync(options).WithAsync(Refusing);
        var version = 0;
        foreach (var (step, word, code, message) in Errors)
        {
            // To the inner one, else to the outer one, else to the instance.
            foreach (var (inner, outer) in new[] { (true, true), (true, false), (false, true), (false, false) })
            {
                await engine.RegisterAsync(Failing(++version, step, inner, outer));
                var id = (await engine.StartAsync("failing", """{ "id": "k" }""")).Id;
                await engine.SignalAsync("go", id);
                if (!inner && !outer)
                {
                    await AssertFailsAsync(engine, id, code, message);
                    continue;
                }

                var output = Value.Parse(await engine.OutputAsync(id)).AsList();
                var (taken, other) = inner ? (output[0], output[1]) : (output[1], output[0]);
                Assert.True(other.IsNull, $"{step}: {other}");
                Assert.Equal(Value.From(code), taken.AsContext()["code"]);
                AssertHolds(taken.AsContext()["message"].AsString(), message);
                Assert.Equal(
                    [$"{word} fails", $"caught {(inner ? "inner" : "outer")}"],
                    (await engine.HistoryAsync(id)).Where(l => l.Contains("Failed fails") || l.Contains("caught")));
            }
        }

        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Error_path_of_a_step_precedes_that_of_its_sub_process()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1, Activities = [TestActivities.Broken], MaxStepsPerCommand = 100,
            Limits = new() { MaxOpenWaits = 8 },
        });
        await engine.RegisterAsync(Failing(
            1, """ "type": "invoke", "activity": "broken", "onError": "ends", "errorResult": "mine", "next": "j" """,
            true, true));
        var own = await engine.StartAsync("failing", """{ "id": "k" }""");
        await engine.SignalAsync("go", own.Id);
        await engine.IdleAsync();
        await CompleteAsync(engine, 1);
        Assert.Equal("[null,null]", await engine.OutputAsync(own.Id));

        var events = string.Join(", ", "abcdefg".Select(name => $$"""{ "signal": "{{name}}", "next": "j" }"""));
        foreach (var (version, step, message) in new[]
        {
            (2, """ "type": "decide", "cases": [ { "when": "= id = \"1\"", "next": "j" } ], "otherwise": "fails" """,
                "more than 100 steps"),
            (3, $$""" "type": "task", "next": "j", "boundary": [ {{events}} ] """, "8 open waits"),
        })
        {
            await engine.RegisterAsync(Failing(version, step, true, true));
            var id = (await engine.StartAsync("failing", """{ "id": "k" }""")).Id;
            await engine.SignalAsync("go", id);
            await AssertFailsAsync(engine, id, code: null, message);
        }

        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Terminating_end_ends_its_innermost_sub_process_alone()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo, Cut);
        var id = (await engine.StartAsync("cut", """{ "id": "k" }""")).Id;
        Assert.Equal(["ask task", "beside signal", "check signal", "hold signal", "sub call", "wait signal"],
            await WaitsAsync(engine, id));

        await engine.SignalAsync("wait", id);
        Assert.Equal(["ask task", "beside signal", "check signal", "sub call"], await WaitsAsync(engine, id));
        await engine.SignalAsync("go", "k", "1");
        Assert.Equal(["beside signal"], await WaitsAsync(engine, id));
        Assert.Equal((0, 1), (engine.Engine.Statistics.OpenTasks, engine.Engine.Statistics.LiveInstances));
        await engine.SignalAsync("beside", id);

        Assert.Equal("[1,1]", await engine.OutputAsync(id));
        Assert.Equal(["left inner", "left check"],
            (await engine.HistoryAsync(id)).Where(l => l.StartsWith("left", StringComparison.Ordinal)));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Sub_process_starts_again_each_time_it_is_entered()
    {
        var engine = await EngineAsync().WithAsync(Rounds);
        var id = (await engine.StartAsync("rounds", """{ "id": "k" }""")).Id;
        await engine.SignalAsync("go", id);
        await engine.SignalAsync("stop", "k");
        await engine.SignalAsync("go", id);

        Assert.Equal("3", await engine.OutputAsync(id));
        Assert.Equal(
            ["entered round", "left round", "entered round", "interrupted round", "entered round", "left round"],
            (await engine.HistoryAsync(id))
                .Where(l => l.EndsWith("ed round", StringComparison.Ordinal) || l == "left round").Skip(1));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Sub_process_continues_once_when_two_tokens_end_together()
    {
        var engine = await EngineAsync().WithAsync(Beside);
        for (var i = 0; i < 10; i++)
        {
            var id = (await engine.StartAsync("beside", $$"""{ "id": "k{{i}}" }""")).Id;
            await engine.SignalAsync("note", $"k{i}");
            await Task.WhenAll(CompleteAsync(engine, 7), engine.SignalAsync("later", id));
            await engine.SignalAsync("after", id);

            Assert.Equal("1", await engine.OutputAsync(id));
            Assert.Single(await engine.HistoryAsync(id), "left run");
        }
    }

    [Theory]
    [InlineData("inside", false), InlineData("inside", true), InlineData("time", true), InlineData("stop", true)]
    public async Task Retry_keeps_the_events_and_the_remaining_time(string what, bool restart)
    {
        var engine = await EngineAsync(2, _time).WithAsync(Retried);
        var id = (await engine.StartAsync("retried", $$"""{ "id": "{{Elsewhere}}" }""", key: Home)).Id;
        await engine.SignalAsync("note", Elsewhere, "\"a\"");
        await engine.IdleAsync();
        _time.Advance(TimeSpan.FromHours(1));
        await engine.SignalAsync("go", id);
        AssertHolds((await engine.Events.FailedAsync(id, Cancel)).Error, "'correlation'", "= key");
        await engine.IdleAsync();
        Assert.Equal(
            ["ask", "worse"], (await engine.ViewAsync(id)).Tokens!.Select(t => t.Step).Order(StringComparer.Ordinal));
        await AssertNothingIsLeftAsync(engine);
        await (what == "stop" ? engine.SignalAsync("stop", Elsewhere) : Task.CompletedTask);
        if (restart)
        {
            await engine.IdleAsync();
            await engine.DisposeAsync();
            engine = await EngineAsync(1, _time);
        }

        await engine.RetryAsync(id, """{ "key": "k" }""");
        await engine.IdleAsync();
        if (what != "stop")
        {
            Assert.Equal(
                ["ask task", "outer delay", "outer signal", "outer signal", "worse signal"],
                await WaitsAsync(engine, id));
        }

        if (what == "time")
        {
            _time.Advance(TimeSpan.FromHours(7));
        }
        else if (what == "inside")
        {
            await engine.SignalAsync("note", Elsewhere, "\"b\"");
            await engine.IdleAsync();
            await CompleteAsync(engine, 7);
            await engine.SignalAsync("fix", "k");
        }

        Assert.Equal(what switch { "time" => "\"late\"", "stop" => "\"stopped\"", _ => """[7,"ab"]""" },
            await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
        Assert.Equal(what == "stop" ? 1 : 2, engine.Events.Of<TaskCreated>().Count);
    }

    [Fact]
    public async Task Retry_in_a_sub_process_takes_the_waiting_events()
    {
        var engine = await EngineAsync(1, _time)
            .WithAsync(Retried.Replace("\"waitSignal\", \"signal\": \"go\"", "\"set\", \"values\": {}"));
        await engine.SignalAsync("note", "k", "\"a\"");
        var id = (await engine.StartAsync("retried", """{ "id": "k" }""")).Id;
        AssertHolds((await engine.Events.FailedAsync(id, Cancel)).Error, "'correlation'", "= key");

        await engine.RetryAsync(id, """{ "key": "k" }""");
        Assert.Equal(
            ["ask task", "outer delay", "outer signal", "outer signal", "worse signal"], await WaitsAsync(engine, id));
        await engine.SignalAsync("note", "k", "\"b\"");
        await CompleteAsync(engine, 7);
        await engine.SignalAsync("fix", "k");

        Assert.Equal("""[7,"ab"]""", await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task It_goes_on_once_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 8; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store)
                .WithAsync(Definitions.WaitForGo, Checked(withWork: false));
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);
            var key = $"k {fail} {afterCommit}";
            var started =
                await engine.StartAsync("checked", $$"""{ "id": "{{key}}" }""", idempotencyKey: $"start {key}");
            await engine.SignalAsync("note", key, "\"a\"", $"one {key}");
            await engine.SignalAsync("note", key, "\"b\"", $"two {key}");
            await engine.SignalAsync("poke", started.Id, "1", $"three {key}");
            await engine.SignalAsync("go", key + "a", "1", $"four {key}");
            await CompleteAsync(engine, 7, $"five {key}");
            await engine.SignalAsync("go", key + "b", "2", $"six {key}");
            await engine.SignalAsync("other", started.Id, null, $"seven {key}");

            Assert.Equal("""[1,7,[1,2],null,1,null,null,"ab",null,null]""", await engine.OutputAsync(started.Id));
            await AssertNothingIsLeftAsync(engine);
            await engine.DisposeAsync();
        }
    }

    private async Task<EngineSession> CheckingAsync(int lanes)
    {
        var work = TestActivities.Of("work", async (_, token) => await _answer.Task.WaitAsync(token));
        return await EngineAsync(new WorkflowEngineOptions { Lanes = lanes, Activities = [work] }, _time)
            .WithAsync(Definitions.WaitForGo, Checked());
    }

    private static async Task<Guid> StartAsync(EngineSession engine) =>
        (await engine.StartAsync("checked", $$"""{ "id": "{{Elsewhere}}" }""", key: Home)).Id;
}
