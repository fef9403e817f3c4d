using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Suspend, resume and retry: a failed instance goes on where it stopped, once.</summary>
public abstract class AdministrationConformance<TStores>(TStores stores) : SuspensionConformance<TStores>(stores)
    where TStores : StoreFixture
{
    /// <summary>An activity, besides the other steps in which a token may rest.</summary>
    private const string Fork =
        """
        { "name": "fork", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "ask", "wait", "pause", "sub", "call" ], "join": "all" },
          "ask": { "type": "task", "result": "t", "next": "all" },
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= key", "result": "s", "next": "all" },
          "pause": { "type": "delay", "duration": "PT10S", "next": "all" },
          "sub": { "type": "call", "definition": "waitForGo", "input": "= { id: sub }", "result": "c", "next": "all" },
          "call": { "type": "invoke", "activity": "work", "input": "= n", "result": "r", "next": "all" },
          "all": { "type": "join", "next": "done" },
          "done": { "type": "end", "output": "= [ t, s, c, r ]" } } }
        """;

    /// <summary>Fails at "bad", or in a branch of the fork at "right" if "inside" is true.</summary>
    private const string Steps =
        """
        { "name": "steps", "version": 1, "start": "choose", "steps": {
          "choose": { "type": "decide", "cases": [ { "when": "= coalesce(inside, false)", "next": "split" } ],
            "otherwise": "bad" },
          "bad": { "type": "waitSignal", "signal": "bad", "correlation": "= missing", "next": "wait" },
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= key", "result": "s", "next": "again" },
          "again": { "type": "set", "values": { "r": "= m + 1" }, "next": "done" },
          "split": { "type": "fork", "branches": [ "left", "right" ], "join": "all" },
          "left": { "type": "waitSignal", "signal": "left", "correlation": "= key", "next": "all" },
          "right": { "type": "waitSignal", "signal": "right", "correlation": "= missing", "next": "beside" },
          "beside": { "type": "waitSignal", "signal": "beside", "correlation": "= key", "next": "all" },
          "all": { "type": "join", "next": "process" },
          "process": { "type": "subProcess", "start": "inner", "next": "done" },
          "inner": { "type": "end" },
          "done": { "type": "end", "output": "= [ n, s, r ]" } } }
        """;

    private int _called;

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_adds_variables_and_continues_at_the_failed_step(bool restart)
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "other": 1 }""", idempotencyKey: "start");
        var failed = await engine.ViewAsync(started.Id);
        Assert.Equal((InstanceState.Failed, "wait"), (failed.State, failed.Error!.Step));
        Assert.Equal([new InstanceToken("wait", 0)], failed.Tokens);
        Assert.Empty(failed.Waits);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync();
        }

        var retried = await engine.RetryAsync(started.Id, """{ "id": "a", "other": 2 }""");

        Assert.Equal(new(started.Id, InstanceState.Waiting, Duplicate: false), retried);
        var view = await engine.ViewAsync(started.Id);
        Assert.Equal((null, null, """{"other":2,"id":"a"}"""), (view.Error, view.Tokens, view.Variables.GetRawText()));
        await engine.SignalAsync("go", "a", "1");
        Assert.Equal("1", await engine.OutputAsync(started.Id));
        Assert.Equal(["started wait", "failed wait", "retried", "waiting wait", "signalled wait", "completed"],
            await engine.HistoryAsync(started.Id));
        Assert.Equal("wait", Assert.Single(engine.Events.Of<InstanceRetried>()).Step);
        Assert.Equal((1L, 0L), (engine.Engine.Statistics.Retried, engine.Engine.Statistics.LiveInstances));
    }

    [Theory]
    [InlineData("wait", false), InlineData("again", false), InlineData("again", true), InlineData("done", false)]
    public async Task Retry_continues_at_the_chosen_step(string step, bool restart)
    {
        var engine = await EngineAsync().WithAsync(Steps);
        var started = await engine.StartAsync("steps", """{ "n": 1, "key": "k" }""");
        var failed = await engine.ViewAsync(started.Id);
        Assert.Equal("bad", failed.Error!.Step);
        Assert.Equal(["again", "bad", "choose", "done", "process", "split", "wait"], failed.RetrySteps);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync();
        }

        await engine.RetryAsync(started.Id, """{ "m": 7 }""", "once", step);
        var again = await engine.RetryAsync(started.Id, """{ "m": 7 }""", "once", step);

        Assert.True(again.Duplicate);
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.RetryAsync(started.Id, """{ "m": 7 }""", "once", "split"));
        if (step == "wait")
        {
            await engine.SignalAsync("go", "k", "5");
        }

        var output = step switch { "wait" => "[1,5,8]", "again" => "[1,null,8]", _ => "[1,null,null]" };
        Assert.Equal(output, await engine.OutputAsync(started.Id));
        var line = Assert.Single(
            (await engine.Engine.FindHistoryAsync(started.Id, Cancel))!, line => line.Event == "retried");
        Assert.Equal((null, $"at {step}, with m"), (line.Step, line.Detail));
        Assert.Null((await engine.ViewAsync(started.Id)).RetrySteps);
    }

    [Theory]
    [InlineData("nowhere", "has no such step")]
    [InlineData("all", "A token that arrives at a join")]
    [InlineData("left", "not inside the same fork or sub-process")]
    [InlineData("inner", "not inside the same fork or sub-process")]
    public async Task Retry_at_a_step_of_another_scope_is_refused_by_name(string step, string reason)
    {
        var engine = await EngineAsync().WithAsync(Steps);
        var started = await engine.StartAsync("steps", """{ "n": 1, "key": "k" }""");

        var error = await Assert.ThrowsAsync<InvalidCommandException>(
            () => engine.RetryAsync(started.Id, idempotencyKey: "once", step: step));

        Assert.Equal("step", error.Parameter);
        Assert.Contains($"'{step}'", error.Message, StringComparison.Ordinal);
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.Contains("can continue at: again, bad, choose", error.Message, StringComparison.Ordinal);
        Assert.Equal(InstanceState.Failed, (await engine.ViewAsync(started.Id)).State);
        Assert.False((await engine.RetryAsync(started.Id, """{ "m": 1 }""", "once", "done")).Duplicate);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_at_a_step_keeps_the_other_branches_of_the_fork(bool restart)
    {
        var engine = await EngineAsync().WithAsync(Steps);
        var started = await engine.StartAsync("steps", """{ "n": 1, "key": "k", "inside": true }""");
        var failed = await engine.ViewAsync(started.Id);
        Assert.Equal("right", failed.Error!.Step);
        Assert.Equal(["beside", "left", "right"], failed.RetrySteps);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync();
        }

        await engine.RetryAsync(started.Id, step: "beside");

        Assert.Equal(
            ["beside", "left"], (await engine.ViewAsync(started.Id)).Waits.Select(w => w.Step).Order());
        await engine.SignalAsync("beside", "k", "2");
        Assert.Equal(["left"], (await engine.ViewAsync(started.Id)).Waits.Select(w => w.Step));
        await engine.SignalAsync("left", "k", "3");
        Assert.Equal("[1,null,null]", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Instance_whose_retry_fails_can_be_retried_again()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "refuse", "version": 1, "start": "no", "steps": {
              "no": { "type": "fail", "error": "= \"no credit for \" + name" } } }
            """);
        var started = await engine.StartAsync("refuse", """{ "name": "a" }""");

        Assert.Equal(InstanceState.Failed, (await engine.RetryAsync(started.Id, """{ "name": "b" }""")).State);
        Assert.Equal(InstanceState.Failed, (await engine.RetryAsync(started.Id)).State);

        var failures = await engine.Events.WaitAsync<InstanceFailed>(3, e => e.InstanceId == started.Id, Cancel);
        Assert.Equal(["no credit for a", "no credit for b", "no credit for b"], failures.Select(f => f.Error));
        Assert.Equal("no credit for b", (await engine.ViewAsync(started.Id)).Error!.Message);
        Assert.Equal(["started no", "failed no", "retried", "failed no", "retried", "failed no"],
            await engine.HistoryAsync(started.Id));
        var counts = engine.Engine.Statistics;
        Assert.Equal((1L, 2L, 3L, 0L), (counts.Started, counts.Retried, counts.Failed, counts.InFlight));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_keeps_every_branch_of_a_fork_where_it_was(bool restart)
    {
        var time = new ManualTime();
        var options = With(Failing(1));
        var engine = await EngineAsync(options with { Lanes = 3 }, time).WithAsync(Fork, Definitions.WaitForGo);
        var started = await engine.StartAsync("fork", """{ "n": 1, "key": "k", "sub": "c" }""");
        await engine.Events.FailedAsync(started.Id, Cancel);
        await engine.IdleAsync();
        Assert.Equal(["ask 1", "call 1 1", "pause 1", "sub 1", "wait 1"],
            (await engine.ViewAsync(started.Id)).Tokens!.Select(t => $"{t.Step} {t.Scope} {t.FailedAttempts}".TrimEnd())
                .Order());
        await engine.SignalAsync("go", "k", "2");
        time.Advance(TimeSpan.FromSeconds(4));
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(options with { Lanes = 2 }, time);
        }

        await engine.RetryAsync(started.Id);

        await engine.IdleAsync();
        Assert.Equal(2, _called);
        Assert.Equal(["ask task", "pause delay", "sub call"],
            (await engine.ViewAsync(started.Id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order());
        var tasks = (await engine.Engine.ListTasksAsync(new(), Cancel)).Items;
        Assert.Equal([TaskState.Cancelled, TaskState.Open], tasks.Select(t => t.State));
        await engine.Engine.CompleteTaskAsync(new() { TaskId = tasks[1].Id, Output = Value.From(1) }, Cancel);
        await engine.SignalAsync("go", "c", "3");

        // Its delay began before the failure.
        time.Advance(TimeSpan.FromSeconds(6));
        Assert.Equal("[1,2,3,2]", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Retries_at_once_have_one_effect()
    {
        var open = Signal();
        var engine = await EngineAsync(With(TestActivities.Of("work", async (_, token) =>
        {
            await (Interlocked.Increment(ref _called) == 1 ? Task.CompletedTask : open.Task.WaitAsync(token));
            throw new InvalidOperationException("refused");
        }))).WithAsync(Invoke);
        var started = await engine.StartAsync("invoke", """{ "n": 5 }""");
        await engine.Events.FailedAsync(started.Id, Cancel);

        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(async _ =>
        {
            try
            {
                return (await engine.RetryAsync(started.Id)).Duplicate ? "duplicate" : "retried";
            }
            catch (InstanceStateException e)
            {
                return e.State;
            }
        }));

        open.SetResult();
        await engine.Events.WaitAsync<InstanceFailed>(2, e => e.InstanceId == started.Id, Cancel);
        await engine.IdleAsync();
        Assert.Single(answers, a => a == "retried");
        Assert.All(answers, a => Assert.True(a is "retried" or "duplicate" or "running", a));
        Assert.Single(await engine.HistoryAsync(started.Id), l => l == "retried");
        Assert.Equal((2, 1L, 0L), (_called, engine.Engine.Statistics.Retried, engine.Engine.Statistics.FailedFlushes));
    }

    [Fact]
    public async Task Retry_repeated_with_its_key_has_one_effect()
    {
        var engine = await EngineAsync(With(Failing(int.MaxValue))).WithAsync(Invoke);
        var started = await engine.StartAsync("invoke", """{ "n": 5 }""");
        await engine.Events.FailedAsync(started.Id, Cancel);

        Assert.False((await engine.RetryAsync(started.Id, """{ "n": 6 }""", "once")).Duplicate);
        await engine.Events.WaitAsync<InstanceFailed>(2, e => e.InstanceId == started.Id, Cancel);
        await engine.IdleAsync();
        Assert.Equal(
            new(started.Id, InstanceState.Failed, Duplicate: true),
            await engine.RetryAsync(started.Id, """{ "n": 6 }""", "once"));
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.RetryAsync(started.Id, """{ "n": 7 }""", "once"));
        Assert.Equal(2, _called);
    }

    [Fact]
    public async Task Request_that_the_state_does_not_allow_is_refused()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo, Definitions.Empty, Parent);
        var waiting = (await engine.StartAsync("waitForGo", """{ "id": "a" }""")).Id;
        var suspended = (await engine.StartAsync("waitForGo", """{ "id": "b" }""")).Id;
        await engine.SuspendAsync(suspended);
        var failed = (await engine.StartAsync("parent")).Id;
        var child = Assert.Single((await engine.ViewAsync(failed)).Children!);
        var over = (await engine.StartAsync("empty")).Id;
        var nobody = Guid.NewGuid();

        await RefusedAsync(() => engine.SuspendAsync(over), "completed", "suspended", $"GET /instances/{over}");
        await RefusedAsync(() => engine.ResumeAsync(over), "completed", "resumed", $"GET /instances/{over}");
        await RefusedAsync(() => engine.SuspendAsync(failed), "failed", "suspended", $"POST /instances/{failed}/retry");
        await RefusedAsync(() => engine.RetryAsync(over), "completed", "retried", $"GET /instances/{over}");
        await RefusedAsync(() => engine.RetryAsync(waiting), "waiting", "retried", "Only a failed instance");
        await RefusedAsync(
            () => engine.RetryAsync(suspended), "suspended", "retried", $"POST /instances/{suspended}/resume");
        await RefusedAsync(() => engine.RetryAsync(child), "failed", "retried", $"POST /instances/{failed}/retry");
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.SuspendAsync(nobody));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.ResumeAsync(nobody));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.RetryAsync(nobody));
        Assert.Equal("variables",
            (await Assert.ThrowsAsync<InvalidCommandException>(() => engine.RetryAsync(failed, "[ 1 ]"))).Parameter);

        static async Task RefusedAsync(Func<Task<InstanceChange>> ask, string state, params string[] named)
        {
            var error = await Assert.ThrowsAsync<InstanceStateException>(ask);
            Assert.Equal(state, error.State);
            AssertHolds(error.Message, [state, .. named]);
        }
    }

    [Fact]
    public async Task Retried_caller_starts_a_new_sub_workflow()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo, Parent);
        var started = await engine.StartAsync("parent");
        Assert.Equal(InstanceState.Failed, started.State);

        Assert.Equal(InstanceState.Waiting, (await engine.RetryAsync(started.Id, """{ "id": "a" }""")).State);
        await engine.SignalAsync("go", "a", "1");

        Assert.Equal("1", await engine.OutputAsync(started.Id));
        var children = (await engine.ViewAsync(started.Id)).Children!;
        var states = new List<InstanceState>();
        foreach (var child in children)
        {
            states.Add((await engine.ViewAsync(child)).State);
        }

        // Both may have been made in one millisecond: their ids say no order then.
        Assert.Equal([InstanceState.Completed, InstanceState.Failed], states.Order());
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Suspension_and_retry_have_one_effect_despite_failed_flushes(bool afterCommit)
    {
        for (var fail = 1; fail <= 5; fail++)
        {
            var key = $"{fail} {afterCommit}";
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store)
                .WithAsync(Definitions.WaitForGo);
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);

            var started = await engine.StartAsync("waitForGo", idempotencyKey: $"start {key}");
            await engine.RetryAsync(started.Id, $$"""{ "id": "{{key}}" }""", $"retry {key}");
            await engine.SuspendAsync(started.Id);
            await engine.SignalAsync("go", key, "1", $"signal {key}");
            await engine.ResumeAsync(started.Id);

            Assert.Equal("1", await engine.OutputAsync(started.Id));
            await engine.IdleAsync();
            Assert.Equal(
                ["started wait", "failed wait", "retried", "waiting wait", "suspended", "resumed", "signalled wait",
                    "completed"],
                await engine.HistoryAsync(started.Id));
            Assert.Single(engine.Events.Of<InstanceRetried>(), e => e.InstanceId == started.Id);
            Assert.Single(engine.Events.Of<InstanceResumed>(), e => e.InstanceId == started.Id);
            Assert.Equal(1, engine.Engine.Statistics.FailedFlushes);
            await engine.DisposeAsync();
        }
    }

    /// <summary>Fails so often, then returns the number of the call.</summary>
    private Activity Failing(int failures) => TestActivities.Of("work", async (_, _) =>
    {
        var call = Interlocked.Increment(ref _called);
        await Task.Yield();
        return call > failures ? Value.From(call) : throw new InvalidOperationException($"call {call} is refused");
    });
}
