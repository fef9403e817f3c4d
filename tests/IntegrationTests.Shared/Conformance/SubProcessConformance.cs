using static IntegrationTests.Shared.Conformance.SubProcessDefinitions;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Embedded sub-processes: what is inside ends together, whatever ends it, and goes on once.</summary>
public abstract class SubProcessConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    // With two lanes, the first is in another lane than the second.
    private static readonly string Home = KeyIn(2, "home");
    private static readonly string Elsewhere = KeyIn(3, "other");

    private readonly ManualTime _time = new();
    private readonly TaskCompletionSource<Value> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Fact]
    public async Task Inside_shares_the_variables_and_goes_on_once_its_last_token_has_ended_also_after_a_restart()
    {
        var first = await CheckingAsync(2);
        var id = await StartAsync(first);
        Assert.Equal(
            ["ask task", "check delay", "check delay", "check signal", "check signal", "each call", "each call", "each callEach",
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
        Assert.Equal(pauses ? ["check signal", "other signal"] : what == "time" ? ["other signal", "slow signal"] : ["other signal"],
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

        // Whoever waits next has no older waiter before it.
        await engine.SignalAsync("note", Elsewhere, "1");
        await engine.SignalAsync("go", Elsewhere + "a", "1");
        await engine.IdleAsync();
        Assert.Equal(2, engine.Engine.Statistics.BufferedSignals);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Signal_that_is_there_when_it_is_entered_interrupts_it_at_once(bool withNote)
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
        Assert.Equal($"[1,null,null,null,null,1,null,{(withNote ? "\"a\"" : "null")},null,null]", await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task Events_that_do_not_interrupt_begin_tokens_outside_that_the_fork_around_waits_for()
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
    public async Task Event_that_came_while_suspended_finds_the_sub_process_although_its_last_token_had_ended()
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
    public async Task Error_inside_goes_to_the_innermost_sub_process_that_takes_errors()
    {
        var dull = TestActivities.Of("dull", (_, _) => throw new NonRetryableActivityException("it is dull") { Code = "DULL" }, inline: true);
        var options = new WorkflowEngineOptions { Lanes = 1, Activities = [TestActivities.Broken, dull] };
        var engine = await EngineAsync(options).WithAsync(Refusing);
        var version = 0;
        foreach (var (step, word, code, message) in Errors)
        {
            // To the inner one; to the outer one, where the inner one takes none; and to the instance, where neither does.
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
    public async Task Step_with_an_error_path_of_its_own_and_a_limit_do_not_go_to_the_sub_process()
    {
        var engine = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1, Activities = [TestActivities.Broken], MaxStepsPerCommand = 100, Limits = new() { MaxOpenWaits = 8 },
        });
        await engine.RegisterAsync(Failing(
            1, """ "type": "invoke", "activity": "broken", "onError": "ends", "errorResult": "mine", "next": "j" """, true, true));
        var own = await engine.StartAsync("failing", """{ "id": "k" }""");
        await engine.SignalAsync("go", own.Id);
        await engine.IdleAsync();
        await CompleteAsync(engine, 1);
        Assert.Equal("[null,null]", await engine.OutputAsync(own.Id));

        var events = string.Join(", ", "abcdefg".Select(name => $$"""{ "signal": "{{name}}", "next": "j" }"""));
        foreach (var (version, step, message) in new[]
        {
            (2, """ "type": "decide", "cases": [ { "when": "= id = 1", "next": "j" } ], "otherwise": "fails" """, "more than 100 steps"),
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
    public async Task End_that_terminates_ends_what_is_inside_the_innermost_sub_process_alone()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo, Cut);
        var id = (await engine.StartAsync("cut", """{ "id": "k" }""")).Id;
        Assert.Equal(["ask task", "beside signal", "check signal", "hold signal", "sub call", "wait signal"], await WaitsAsync(engine, id));

        await engine.SignalAsync("wait", id);
        Assert.Equal(["ask task", "beside signal", "check signal", "sub call"], await WaitsAsync(engine, id));
        await engine.SignalAsync("go", "k", "1");
        Assert.Equal(["beside signal"], await WaitsAsync(engine, id));
        Assert.Equal((0, 1), (engine.Engine.Statistics.OpenTasks, engine.Engine.Statistics.LiveInstances));
        await engine.SignalAsync("beside", id);

        Assert.Equal("[1,1]", await engine.OutputAsync(id));
        Assert.Equal(["left inner", "left check"], (await engine.HistoryAsync(id)).Where(l => l.StartsWith("left", StringComparison.Ordinal)));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task It_begins_anew_each_time_it_is_entered()
    {
        var engine = await EngineAsync().WithAsync(Rounds);
        var id = (await engine.StartAsync("rounds", """{ "id": "k" }""")).Id;
        await engine.SignalAsync("go", id);
        await engine.SignalAsync("stop", "k");
        await engine.SignalAsync("go", id);

        Assert.Equal("3", await engine.OutputAsync(id));
        Assert.Equal(
            ["entered round", "left round", "entered round", "interrupted round", "entered round", "left round"],
            (await engine.HistoryAsync(id)).Where(l => l.EndsWith("ed round", StringComparison.Ordinal) || l == "left round").Skip(1));
        await AssertNothingIsLeftAsync(engine);
    }

    [Fact]
    public async Task It_goes_on_once_when_its_last_two_tokens_end_at_the_same_time()
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
    public async Task Retry_goes_on_inside_with_the_events_and_the_time_that_was_left(string what, bool restart)
    {
        var engine = await EngineAsync(2, _time).WithAsync(Retried);
        var id = (await engine.StartAsync("retried", $$"""{ "id": "{{Elsewhere}}" }""", key: Home)).Id;
        await engine.SignalAsync("note", Elsewhere, "\"a\"");
        await engine.IdleAsync();
        _time.Advance(TimeSpan.FromHours(1));
        await engine.SignalAsync("go", id);
        AssertHolds((await engine.Events.FailedAsync(id, Cancel)).Error, "'correlation'", "= key");
        await engine.IdleAsync();
        Assert.Equal(["ask", "worse"], (await engine.ViewAsync(id)).Tokens!.Select(t => t.Step).Order(StringComparer.Ordinal));
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
                ["ask task", "outer delay", "outer signal", "outer signal", "worse signal"], await WaitsAsync(engine, id));
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

        Assert.Equal(what switch { "time" => "\"late\"", "stop" => "\"stopped\"", _ => """[7,"ab"]""" }, await engine.OutputAsync(id));
        await AssertNothingIsLeftAsync(engine);
        Assert.Equal(what == "stop" ? 1 : 2, engine.Events.Of<TaskCreated>().Count);
    }

    [Fact]
    public async Task Retry_waits_for_the_events_that_had_to_wait_for_a_token_when_a_step_inside_failed()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Retried.Replace("\"waitSignal\", \"signal\": \"go\"", "\"set\", \"values\": {}"));
        await engine.SignalAsync("note", "k", "\"a\"");
        var id = (await engine.StartAsync("retried", """{ "id": "k" }""")).Id;
        AssertHolds((await engine.Events.FailedAsync(id, Cancel)).Error, "'correlation'", "= key");

        await engine.RetryAsync(id, """{ "key": "k" }""");
        Assert.Equal(["ask task", "outer delay", "outer signal", "outer signal", "worse signal"], await WaitsAsync(engine, id));
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
            var started = await engine.StartAsync("checked", $$"""{ "id": "{{key}}" }""", idempotencyKey: $"start {key}");
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

internal static class SubProcessDefinitions
{
    /// <summary>What an instance waits for, in order.</summary>
    public static async Task<IEnumerable<string>> WaitsAsync(EngineSession engine, Guid id) =>
        (await engine.ViewAsync(id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order(StringComparer.Ordinal);

    /// <summary>The instance has failed at the step, and a retry would go on inside.</summary>
    public static async Task AssertFailsAsync(EngineSession engine, Guid id, string? code, string message)
    {
        var failed = await engine.Events.FailedAsync(id, Cancel);
        AssertHolds(failed.Error, message);
        Assert.Equal((code, "fails"), (failed.Code, failed.Step));
        Assert.Equal(["ask", "fails"], (await engine.ViewAsync(id)).Tokens!.Select(t => t.Step).Order(StringComparer.Ordinal));
    }

    public static async Task AssertNothingIsLeftAsync(EngineSession engine)
    {
        await engine.IdleAsync();
        Assert.Equal((0, 0), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.OpenTasks));
    }

    /// <summary>Completes the only open task.</summary>
    public static async Task CompleteAsync(EngineSession engine, int output, string? key = null)
    {
        var open = await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel);
        await engine.Engine.CompleteTaskAsync(
            new() { TaskId = Assert.Single(open.Items).Id, Output = Value.From(output), IdempotencyKey = key }, Cancel);
    }

    /// <summary>Every kind of wait inside a sub-process that is in a branch of a fork, with every kind of event beside it.</summary>
    public static string Checked(bool withWork = true) =>
        $$"""
        { "name": "checked", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "other" ], "join": "met" },
          "check": { "type": "subProcess", "start": "both", "timeout": "PT8H", "onTimeout": "late", "onError": "sorry", "errorResult": "problem",
            "next": "met", "boundary": [
              { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" },
              { "duration": "PT1H", "interrupting": false, "next": "remind" },
              { "signal": "stop", "correlation": "= id", "result": "reason", "next": "met" } ] },
          "both": { "type": "fork", "branches": [ "ask", "each", "inner"{{(withWork ? ", \"work\"" : "")}} ], "join": "all" },
          "ask": { "type": "task", "result": "decision", "next": "all" },
          "each": { "type": "callEach", "definition": "waitForGo", "items": [ "= concat(id, \"a\")", "= concat(id, \"b\")" ],
            "input": { "id": "= item" }, "result": "sent", "next": "all" },
          {{(withWork ? """ "work": { "type": "invoke", "activity": "work", "result": "worked", "next": "all" }, """ : "")}}
          "inner": { "type": "subProcess", "start": "pause", "next": "all" },
          "pause": { "type": "waitSignal", "signal": "poke", "result": "poked", "next": "quiet" }, "quiet": { "type": "end" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "remind": { "type": "raise", "event": "Reminded", "next": "slow" },
          "slow": { "type": "waitSignal", "signal": "slow", "next": "reminded" },
          "reminded": { "type": "set", "values": { "reminded": "= coalesce(reminded, 0) + 1" }, "next": "met" },
          "late": { "type": "set", "values": { "late": true }, "next": "say" }, "say": { "type": "raise", "event": "Late", "next": "met" },
          "sorry": { "type": "set", "values": { "code": "= problem.code" }, "next": "met" },
          "other": { "type": "waitSignal", "signal": "other", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" },
          "done": { "type": "end", "output": [ "= met", "= decision", "= sent", "= worked", "= poked", "= reason", "= reminded", "= notes",
            "= late", "= code" ] } } }
        """;

    /// <summary>A task, or a sub-process with a task inside, and two signals beside it.</summary>
    public static string Noted(string type) =>
        $$"""
        { "name": "noted", "version": 1, "start": "run", "steps": {
          "run": { "type": "{{type}}", {{(type == "subProcess" ? "\"start\": \"ask\"," : "")}} "next": "done", "boundary": [
            { "signal": "a", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" },
            { "signal": "b", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" } ] },
          {{(type == "subProcess" ? """ "ask": { "type": "task", "next": "asked" }, "asked": { "type": "end" }, """ : "")}}
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "done": { "type": "end", "output": "= notes" } } }
        """;

    /// <summary>A step that fails, inside two sub-processes, beside a task. The output is the error of the inner and the outer.</summary>
    public static string Failing(int version, string step, bool inner, bool outer) =>
        $$"""
        { "name": "failing", "version": {{version}}, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "inner", {{(outer ? "\"onError\": \"fine\", \"errorResult\": \"o\"," : "")}} "next": "fine" },
          "inner": { "type": "subProcess", "start": "split", {{(inner ? "\"onError\": \"ended\", \"errorResult\": \"i\"," : "")}} "next": "ended" },
          "split": { "type": "fork", "branches": [ "ask", "go" ], "join": "j" }, "ask": { "type": "task", "next": "j" },
          "go": { "type": "waitSignal", "signal": "go", "next": "fails" }, "fails": { {{step}} },
          "j": { "type": "join", "next": "ends" }, "ends": { "type": "end" }, "ended": { "type": "end" },
          "fine": { "type": "end", "output": [ "= i", "= o" ] } } }
        """;

    public const string Refusing =
        """
        { "name": "refusing", "version": 1, "start": "no", "steps": { "no": { "type": "fail", "error": "refused", "code": "REFUSED" } } }
        """;

    /// <summary>A step, what the history calls its failure, the error's code and a part of its message.</summary>
    public static readonly (string Step, string Word, string? Code, string Message)[] Errors =
    [
        (""" "type": "fail", "error": "= concat(\"no \", id)", "code": "X" """, "stepFailed", "X", "no k"),
        (""" "type": "invoke", "activity": "broken", "next": "j" """, "activityFailed", null, "the far side is closed"),
        (""" "type": "invoke", "activity": "dull", "next": "j" """, "activityFailed", "DULL", "it is dull"),
        (""" "type": "invoke", "activity": "dull", "next": "j", "boundary": [ { "signal": "x", "next": "j" } ] """,
            "activityFailed", "DULL", "it is dull"),
        (""" "type": "call", "definition": "refusing", "next": "j" """, "callFailed", "REFUSED", "refused"),
        (""" "type": "call", "definition": "missing", "next": "j" """, "callFailed", null, "was not started"),
        (""" "type": "callEach", "definition": "refusing", "count": 2, "next": "j" """, "callFailed", "REFUSED", "refused"),
        (""" "type": "callEach", "definition": "missing", "count": 2, "next": "j" """, "callFailed", null, "was not started"),
        (""" "type": "callEach", "definition": "refusing", "items": "= id", "next": "j" """, "stepFailed", null, "'items'"),
        (""" "type": "waitSignal", "signal": "x", "correlation": "= gone", "next": "j" """, "stepFailed", null, "'correlation'"),
        (""" "type": "delay", "until": "= gone", "next": "j" """, "stepFailed", null, "'until'"),
        (""" "type": "task", "next": "j", "boundary": [ { "duration": "= gone", "next": "j" } ] """, "stepFailed", null, "'duration'"),
        (""" "type": "waitFirst", "events": [ { "duration": "PT1H", "next": "j" }, { "signal": "x", "correlation": "= gone", "next": "j" } ] """,
            "stepFailed", null, "'correlation'"),
        (""" "type": "subProcess", "start": "in", "next": "j", "onError": "j", "timeout": "PT1H", "onTimeout": "j", "boundary": [ { "until": "= gone", "next": "j" } ] }, "in": { "type": "end" """,
            "stepFailed", null, "'until'"),
    ];

    /// <summary>One end terminates within the inner sub-process, and one within the other; a signal is waited for beside both.</summary>
    public const string Cut =
        """
        { "name": "cut", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "beside" ], "join": "met" },
          "check": { "type": "subProcess", "start": "both", "next": "met", "boundary": [ { "signal": "stop", "correlation": "= id", "next": "met" } ] },
          "both": { "type": "fork", "branches": [ "ask", "inner", "sub" ], "join": "all" },
          "ask": { "type": "task", "next": "all" },
          "inner": { "type": "subProcess", "start": "two", "next": "all" },
          "two": { "type": "fork", "branches": [ "wait", "hold" ], "join": "one" },
          "wait": { "type": "waitSignal", "signal": "wait", "next": "cutInner" }, "cutInner": { "type": "end", "terminate": true },
          "hold": { "type": "waitSignal", "signal": "hold", "next": "one" }, "one": { "type": "join", "next": "held" }, "held": { "type": "end" },
          "sub": { "type": "call", "definition": "waitForGo", "input": { "id": "= id" }, "result": "answer", "next": "cut" },
          "cut": { "type": "end", "terminate": true }, "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "beside": { "type": "waitSignal", "signal": "beside", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" },
          "done": { "type": "end", "output": [ "= met", "= answer" ] } } }
        """;

    /// <summary>A sub-process in which a signal begins a second token beside a task.</summary>
    public const string Beside =
        """
        { "name": "beside", "version": 1, "start": "run", "steps": {
          "run": { "type": "subProcess", "start": "ask", "next": "count" },
          "ask": { "type": "task", "next": "ended", "boundary": [
            { "signal": "note", "correlation": "= id", "interrupting": false, "next": "later" } ] },
          "later": { "type": "waitSignal", "signal": "later", "next": "ended" }, "ended": { "type": "end" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "after" },
          "after": { "type": "waitSignal", "signal": "after", "next": "done" }, "done": { "type": "end", "output": "= met" } } }
        """;

    /// <summary>Three rounds of a sub-process.</summary>
    public const string Rounds =
        """
        { "name": "rounds", "version": 1, "start": "round", "steps": {
          "round": { "type": "subProcess", "start": "two", "next": "add", "boundary": [ { "signal": "stop", "correlation": "= id", "next": "add" } ] },
          "two": { "type": "fork", "branches": [ "wait", "quick" ], "join": "one" },
          "wait": { "type": "waitSignal", "signal": "go", "next": "one" }, "quick": { "type": "set", "values": { "quick": true }, "next": "one" },
          "one": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "add": { "type": "set", "values": { "rounds": "= coalesce(rounds, 0) + 1" }, "next": "more" },
          "more": { "type": "decide", "cases": [ { "when": "= rounds < 3", "next": "round" } ], "otherwise": "done" },
          "done": { "type": "end", "output": "= rounds" } } }
        """;

    /// <summary>Fails inside for want of the variable <c>key</c>.</summary>
    public const string Retried =
        """
        { "name": "retried", "version": 1, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "split", "timeout": "PT8H", "onTimeout": "late", "next": "done", "boundary": [
            { "signal": "stop", "correlation": "= id", "next": "stopped" },
            { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" } ] },
          "split": { "type": "fork", "branches": [ "ask", "bad" ], "join": "all" },
          "ask": { "type": "task", "result": "decision", "next": "all" },
          "bad": { "type": "waitSignal", "signal": "go", "next": "worse" },
          "worse": { "type": "waitSignal", "signal": "fix", "correlation": "= key", "next": "all" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "late": { "type": "end", "output": "late" }, "stopped": { "type": "end", "output": "stopped" },
          "done": { "type": "end", "output": [ "= decision", "= notes" ] } } }
        """;
}
