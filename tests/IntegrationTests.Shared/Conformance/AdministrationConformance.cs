using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Suspend and resume: nothing that comes meanwhile is lost or doubled, and nothing runs twice.</summary>
public abstract class SuspensionConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Pause =
        """
        { "name": "pause", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT10S", "next": "done" }, "done": { "type": "end", "output": "late" } } }
        """;

    protected const string Invoke =
        """
        { "name": "invoke", "version": 1, "start": "call", "steps": {
          "call": { "type": "invoke", "activity": "work", "input": "= n", "result": "r", "next": "done" },
          "done": { "type": "end", "output": "= r" } } }
        """;

    private const string Review =
        """
        { "name": "review", "version": 1, "start": "check", "steps": {
          "check": { "type": "task", "result": "decision", "next": "done" }, "done": { "type": "end", "output": "= decision" } } }
        """;

    /// <summary>Calls <c>waitForGo</c> with its own <c>id</c>.</summary>
    protected const string Parent =
        """
        { "name": "parent", "version": 1, "start": "call", "steps": {
          "call": { "type": "call", "definition": "waitForGo", "input": "= { id: id }", "result": "r", "next": "done" },
          "done": { "type": "end", "output": "= r" } } }
        """;

    private int _called;

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Signal_that_comes_while_suspended_is_taken_once_the_instance_is_resumed(bool byId)
    {
        var engine = await EngineAsync(lanes: 3).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");

        Assert.Equal(new(started.Id, InstanceState.Suspended, Duplicate: false), await engine.SuspendAsync(started.Id));
        Assert.Equal(new(started.Id, InstanceState.Suspended, Duplicate: true), await engine.SuspendAsync(started.Id));
        await (byId ? engine.SignalAsync("go", started.Id, "1") : engine.SignalAsync("go", "a", "1"));
        await engine.SignalAsync("go", "a", "2");
        await engine.IdleAsync();

        var view = await engine.ViewAsync(started.Id);
        Assert.Equal((InstanceState.Suspended, true), (view.State, Assert.Single(view.Waits).Ended));
        var listed = (await engine.Engine.ListInstancesAsync(new() { State = InstanceState.Suspended }, Cancel)).Items;
        Assert.Equal(started.Id, Assert.Single(listed).Id);
        Assert.Empty(engine.Events.Of<InstanceCompleted>());

        Assert.Equal(new(started.Id, InstanceState.Completed, Duplicate: false), await engine.ResumeAsync(started.Id));
        Assert.Equal("1", await engine.OutputAsync(started.Id));
        Assert.Equal(
            ["started wait", "waiting wait", "suspended", "resumed", "signalled wait", "completed"], await engine.HistoryAsync(started.Id));
        Assert.Equal(started.Id, Assert.Single(engine.Events.Of<InstanceSuspended>()).InstanceId);
        Assert.Equal(started.Id, Assert.Single(engine.Events.Of<InstanceResumed>()).InstanceId);
        await engine.IdleAsync();
        var counts = engine.Engine.Statistics;
        Assert.Equal((1L, 1L, 1L, 1L), (counts.Suspended, counts.Resumed, counts.SignalsConsumed, counts.BufferedSignals));
    }

    [Fact]
    public async Task Suspended_instance_that_nothing_came_for_waits_on_when_it_is_resumed()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await engine.SuspendAsync(started.Id);

        Assert.Equal(new(started.Id, InstanceState.Waiting, Duplicate: false), await engine.ResumeAsync(started.Id));
        Assert.Equal(new(started.Id, InstanceState.Waiting, Duplicate: true), await engine.ResumeAsync(started.Id));

        await engine.SignalAsync("go", "a", "1");
        Assert.Equal("1", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Timer_that_falls_due_while_suspended_fires_once_the_instance_is_resumed(bool restart)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(time: time).WithAsync(Pause);
        var started = await engine.StartAsync("pause");
        await engine.SuspendAsync(started.Id);

        time.Advance(TimeSpan.FromSeconds(20));
        await engine.IdleAsync();
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(time: time);
            await engine.IdleAsync();
        }

        Assert.Equal(InstanceState.Suspended, (await engine.ViewAsync(started.Id)).State);
        await engine.ResumeAsync(started.Id);

        Assert.Equal("\"late\"", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(["started pause", "waiting pause", "suspended", "resumed", "resumed pause", "completed"],
            await engine.HistoryAsync(started.Id));
    }

    [Fact]
    public async Task Timeout_that_is_over_while_suspended_comes_after_the_signal_that_was_there()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(time: time).WithAsync(Definitions.WaitAMinute);
        var (taken, late) = (await engine.StartAsync("waitAMinute", """{ "id": "a" }"""),
            await engine.StartAsync("waitAMinute", """{ "id": "b" }"""));
        await engine.SuspendAsync(taken.Id);
        await engine.SuspendAsync(late.Id);
        await engine.SignalAsync("go", "a", "1");
        time.Advance(TimeSpan.FromMinutes(2));

        await engine.ResumeAsync(taken.Id);
        await engine.ResumeAsync(late.Id);

        Assert.Equal(("1", "\"late\""), (await engine.OutputAsync(taken.Id), await engine.OutputAsync(late.Id)));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Result_of_an_activity_that_comes_while_suspended_is_kept_and_it_is_not_called_again(bool restart)
    {
        var (entered, answer) = (Signal(), Signal());
        var activity = TestActivities.Of("work", async (input, token) =>
        {
            Interlocked.Increment(ref _called);
            entered.TrySetResult();
            await answer.Task.WaitAsync(token);
            return input;
        });
        var engine = await EngineAsync(With(activity)).WithAsync(Invoke);
        var started = await engine.StartAsync("invoke", """{ "n": 5 }""");
        await entered.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        await engine.SuspendAsync(started.Id);
        answer.SetResult();
        await engine.IdleAsync();
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(With(activity));
            await engine.IdleAsync();
        }

        var view = await engine.ViewAsync(started.Id);
        Assert.Equal((InstanceState.Suspended, true), (view.State, Assert.Single(view.Waits).Ended));
        await engine.ResumeAsync(started.Id);

        Assert.Equal("5", await engine.OutputAsync(started.Id));
        Assert.Equal(1, _called);
    }

    [Fact]
    public async Task Activity_of_a_suspended_instance_is_called_after_a_restart_once_it_is_resumed()
    {
        var (entered, open) = (Signal(), false);
        var activity = TestActivities.Of("work", async (input, token) =>
        {
            Interlocked.Increment(ref _called);
            entered.TrySetResult();
            await Task.Delay(open ? TimeSpan.Zero : Timeout.InfiniteTimeSpan, token);
            return input;
        });
        var first = await EngineAsync(With(activity)).WithAsync(Invoke);
        var started = await first.StartAsync("invoke", """{ "n": 5 }""");
        await entered.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        await first.SuspendAsync(started.Id);
        await first.DisposeAsync();
        open = true;

        var second = await EngineAsync(With(activity));
        await second.IdleAsync();
        Assert.Equal((1, InstanceState.Suspended), (_called, (await second.ViewAsync(started.Id)).State));
        Assert.Equal(InstanceState.Running, (await second.ResumeAsync(started.Id)).State);

        Assert.Equal("5", await second.OutputAsync(started.Id));
        Assert.Equal(2, _called);
    }

    [Fact]
    public async Task Task_and_sub_workflow_of_a_suspended_instance_end_and_their_outputs_are_kept()
    {
        var first = await EngineAsync(lanes: 2).WithAsync(Review, Definitions.WaitForGo, Parent);
        var review = await first.StartAsync("review");
        var parent = await first.StartAsync("parent", """{ "id": "a" }""");
        await first.SuspendAsync(review.Id);
        await first.SuspendAsync(parent.Id);

        var task = Assert.Single((await first.Engine.ListTasksAsync(new(), Cancel)).Items).Id;
        await first.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.From(7) }, Cancel);
        await first.SignalAsync("go", "a", "8");
        await first.IdleAsync();
        Assert.Equal(TaskState.Completed, (await first.Engine.FindTaskAsync(task, Cancel))!.State);
        await Assert.ThrowsAsync<TaskClosedException>(
            () => first.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.From(9) }, Cancel));
        var child = Assert.Single((await first.ViewAsync(parent.Id)).Children!);
        Assert.Equal(InstanceState.Completed, (await first.ViewAsync(child)).State);
        await first.DisposeAsync();

        var second = await EngineAsync();
        await second.IdleAsync();
        Assert.Equal((InstanceState.Suspended, InstanceState.Suspended),
            ((await second.ViewAsync(review.Id)).State, (await second.ViewAsync(parent.Id)).State));
        await second.ResumeAsync(review.Id);
        await second.ResumeAsync(parent.Id);

        Assert.Equal(["7", "8"], [await second.OutputAsync(review.Id), await second.OutputAsync(parent.Id)]);
    }

    [Fact]
    public async Task Suspended_instance_is_cancelled_with_what_it_has_called_and_what_came_for_it()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo, Parent, Review);
        var parent = await engine.StartAsync("parent", """{ "id": "a" }""");
        var review = await engine.StartAsync("review");
        await engine.SuspendAsync(parent.Id);
        await engine.SuspendAsync(review.Id);
        var task = Assert.Single((await engine.Engine.ListTasksAsync(new(), Cancel)).Items).Id;
        await engine.Engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.From(7) }, Cancel);

        await engine.Engine.CancelAsync(parent.Id, Cancel);
        await engine.Engine.CancelAsync(review.Id, Cancel);

        await engine.IdleAsync();
        Assert.Equal((3L, 0L), (engine.Engine.Statistics.Cancelled, engine.Engine.Statistics.LiveInstances));
        Assert.Equal("""{"decision":7}""", (await engine.ViewAsync(review.Id)).Variables.GetRawText());
        Assert.Equal(TaskState.Completed, (await engine.Engine.FindTaskAsync(task, Cancel))!.State);
        var late = await Assert.ThrowsAsync<InstanceStateException>(() => engine.ResumeAsync(parent.Id));
        AssertHolds(late.Message, "cancelled", "resumed", $"GET /instances/{parent.Id}");
    }

    protected static WorkflowEngineOptions With(Activity activity) => new() { Lanes = 1, Activities = [activity] };

    protected static TaskCompletionSource Signal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>Suspend, resume and retry: a failed instance goes on where it stopped, once.</summary>
public abstract class AdministrationConformance<TStores>(TStores stores) : SuspensionConformance<TStores>(stores)
    where TStores : StoreFixture
{
    /// <summary>An activity beside whatever else a token may rest in.</summary>
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

    private int _called;

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Retry_brings_what_was_missing_and_goes_on_where_the_instance_stopped(bool restart)
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

    [Fact]
    public async Task Step_that_fails_again_leaves_the_instance_failed_and_it_can_be_retried_once_more()
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
        Assert.Equal(["started no", "failed no", "retried", "failed no", "retried", "failed no"], await engine.HistoryAsync(started.Id));
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
            (await engine.ViewAsync(started.Id)).Tokens!.Select(t => $"{t.Step} {t.Scope} {t.FailedAttempts}".TrimEnd()).Order());
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
    public async Task Retry_with_a_key_has_one_effect_and_a_key_belongs_to_one_request()
    {
        var engine = await EngineAsync(With(Failing(int.MaxValue))).WithAsync(Invoke);
        var started = await engine.StartAsync("invoke", """{ "n": 5 }""");
        await engine.Events.FailedAsync(started.Id, Cancel);

        Assert.False((await engine.RetryAsync(started.Id, """{ "n": 6 }""", "once")).Duplicate);
        await engine.Events.WaitAsync<InstanceFailed>(2, e => e.InstanceId == started.Id, Cancel);
        await engine.IdleAsync();
        Assert.Equal(
            new(started.Id, InstanceState.Failed, Duplicate: true), await engine.RetryAsync(started.Id, """{ "n": 6 }""", "once"));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.RetryAsync(started.Id, """{ "n": 7 }""", "once"));
        Assert.Equal(2, _called);
    }

    [Fact]
    public async Task What_its_state_does_not_allow_is_refused_with_the_state_and_what_to_do()
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
        await RefusedAsync(() => engine.RetryAsync(suspended), "suspended", "retried", $"POST /instances/{suspended}/resume");
        await RefusedAsync(() => engine.RetryAsync(child), "failed", "retried", $"POST /instances/{failed}/retry");
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.SuspendAsync(nobody));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.ResumeAsync(nobody));
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.RetryAsync(nobody));
        Assert.Equal("variables", (await Assert.ThrowsAsync<InvalidCommandException>(() => engine.RetryAsync(failed, "[ 1 ]"))).Parameter);

        static async Task RefusedAsync(Func<Task<InstanceChange>> ask, string state, params string[] named)
        {
            var error = await Assert.ThrowsAsync<InstanceStateException>(ask);
            Assert.Equal(state, error.State);
            AssertHolds(error.Message, [state, .. named]);
        }
    }

    [Fact]
    public async Task Caller_that_failed_with_its_sub_workflow_calls_a_new_one_when_it_is_retried()
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
    public async Task Suspension_resumption_and_retry_have_one_effect_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 5; fail++)
        {
            var key = $"{fail} {afterCommit}";
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store).WithAsync(Definitions.WaitForGo);
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);

            var started = await engine.StartAsync("waitForGo", idempotencyKey: $"start {key}");
            await engine.RetryAsync(started.Id, $$"""{ "id": "{{key}}" }""", $"retry {key}");
            await engine.SuspendAsync(started.Id);
            await engine.SignalAsync("go", key, "1", $"signal {key}");
            await engine.ResumeAsync(started.Id);

            Assert.Equal("1", await engine.OutputAsync(started.Id));
            await engine.IdleAsync();
            Assert.Equal(
                ["started wait", "failed wait", "retried", "waiting wait", "suspended", "resumed", "signalled wait", "completed"],
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
