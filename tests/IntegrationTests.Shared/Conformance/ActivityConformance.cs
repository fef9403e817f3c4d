using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Activities within the transition or beside the lane that fail, time out or are called again.</summary>
public abstract class ActivityConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Background_activity_is_called_after_its_commit()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var answer = new TaskCompletionSource<Value>(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(With(TestActivities.Of("work", async (input, token) =>
        {
            entered.TrySetResult();
            return Value.From([input, await answer.Task.WaitAsync(token)]);
        })));
        await engine.RegisterAsync(Invoke("work"));

        var started = await engine.StartAsync("invoke", """{ "n": 5 }""");
        Assert.Equal(InstanceState.Running, started.State);
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
        var view = await engine.ViewAsync(started.Id);
        Assert.Equal(("call", "activity", "work"), (view.Waits[0].Step, view.Waits[0].Kind, view.Waits[0].Name));
        answer.SetResult(Value.From(6));

        Assert.Equal("""[{"n":5},6]""", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(
            ["started call", "waiting call", "resumed call", "completed"], await engine.HistoryAsync(started.Id));
    }

    /// <summary>The activity is called again at the next start, so that the engine never becomes idle here.</summary>
    [Fact]
    public async Task Waiting_for_an_idle_engine_ends_when_the_engine_stops()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(With(TestActivities.Of("work", async (_, token) =>
        {
            entered.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return Value.Null;
        })));
        await engine.RegisterAsync(Invoke("work"));
        await engine.StartAsync("invoke", """{ "n": 5 }""");
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
        var idle = engine.Engine.WaitForIdleAsync(Cancel);
        Assert.False(idle.IsCompleted);

        await engine.DisposeAsync();

        // A node that has left has no lane that could be at work.
        var error = await Record.ExceptionAsync(() => idle.WaitAsync(Eventually.Deadline, Cancel));
        Assert.True(error is null or EngineStoppedException, $"{error}");
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Activity_that_fails_goes_its_error_way_or_stops_the_instance(bool inline)
    {
        var broken = inline
            ? TestActivities.Of(
                "broken", (_, _) => throw new InvalidOperationException("the far side is closed"), inline: true)
            : TestActivities.Broken;
        var engine = await EngineAsync(With(broken)).WithAsync(Invoke("broken"));
        await engine.RegisterAsync(
            """
            { "name": "handled", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "broken", "onError": "sorry", "next": "done" },
              "sorry": { "type": "end", "output": "sorry" }, "done": { "type": "end" } } }
            """);

        var handled = await engine.StartAsync("handled");
        var stopped = await engine.StartAsync("invoke", """{ "n": 5 }""");

        Assert.Equal("\"sorry\"", await engine.OutputAsync(handled.Id));
        Assert.Contains("activityFailed call", await engine.HistoryAsync(handled.Id));
        var failed = await engine.Events.FailedAsync(stopped.Id, Cancel);
        Assert.Equal("Activity 'broken' failed: the far side is closed", failed.Error);
        Assert.Equal("call", failed.Step);
        Assert.Equal(InstanceState.Failed, (await engine.ViewAsync(stopped.Id)).State);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Code_of_an_activity_exception_reaches_the_incident(bool inline)
    {
        var engine = await EngineAsync(With(TestActivities.Of(
            "refuse", (_, _) => throw new NonRetryableActivityException("no stock") { Code = "NO_STOCK" }, inline)));
        await engine.RegisterAsync(
            """
            { "name": "handled", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "refuse", "retry": { "maxAttempts": 3 }, "onError": "sorry",
                "errorResult": "e", "next": "done" },
              "sorry": { "type": "end", "output": "= e" }, "done": { "type": "end" } } }
            """);
        await engine.RegisterAsync(Invoke("refuse"));

        var handled = await engine.StartAsync("handled");
        var stopped = await engine.StartAsync("invoke", """{ "n": 5 }""");

        AssertHolds(await engine.OutputAsync(handled.Id), "\"code\":\"NO_STOCK\"", "no stock");
        Assert.Equal("NO_STOCK", (await engine.Events.FailedAsync(stopped.Id, Cancel)).Code);
        Assert.Equal("NO_STOCK", (await engine.ViewAsync(stopped.Id)).Error!.Code);
    }

    [Fact]
    public async Task Late_answer_of_a_timed_out_activity_changes_nothing()
    {
        var time = new ManualTime();
        var answer = new TaskCompletionSource<Value>(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(
            With(TestActivities.Of("slow", async (_, token) => await answer.Task.WaitAsync(token))), time);
        await engine.RegisterAsync(
            """
            { "name": "slow", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "slow", "timeout": "PT10S", "onTimeout": "late", "next": "done" },
              "late": { "type": "end", "output": "late" }, "done": { "type": "end", "output": "done" } } }
            """);
        var started = await engine.StartAsync("slow");

        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal("\"late\"", await engine.OutputAsync(started.Id));
        answer.SetResult(Value.From(1));
        await engine.IdleAsync();

        Assert.Equal(
            ["started call", "waiting call", "timedOut call", "completed"], await engine.HistoryAsync(started.Id));
    }

    [Fact]
    public async Task Activity_running_at_a_stop_is_called_again()
    {
        var inputs = new ConcurrentQueue<string>();
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await EngineAsync(With(TestActivities.Of("work", async (input, token) =>
        {
            inputs.Enqueue(input.ToString());
            entered.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return input;
        })));
        await first.RegisterAsync(Invoke("work"));
        var started = await first.StartAsync("invoke", """{ "n": 5 }""");
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
        await first.DisposeAsync();

        var second = await EngineAsync(With(TestActivities.Of("work", (input, _) =>
        {
            inputs.Enqueue(input.ToString());
            return new(Value.From(7));
        })));

        Assert.Equal("7", await second.OutputAsync(started.Id));
        Assert.Equal(["""{"n":5}""", """{"n":5}"""], inputs);
    }

    [Fact]
    public async Task Activities_past_the_limit_wait_in_order()
    {
        const int Count = 12;
        var (calls, running, most) = (new ConcurrentQueue<string>(), 0, 0);
        var open = new SemaphoreSlim(0);
        var options = With(TestActivities.Of("work", async (input, token) =>
        {
            InterlockedMax(ref most, Interlocked.Increment(ref running));
            calls.Enqueue(input.AsContext()["n"].ToString());
            try
            {
                await open.WaitAsync(token);
                return input;
            }
            finally
            {
                Interlocked.Decrement(ref running);
            }
        })) with { Lanes = 2, Limits = new() { MaxRunningActivities = 3 } };
        var first = await EngineAsync(options).WithAsync(Invoke("work"));
        var started = new List<InstanceStarted>();
        for (var i = 0; i < Count; i++)
        {
            started.Add(await first.StartAsync("invoke", $$"""{ "n": {{i}} }"""));
        }

        await Eventually.HoldsAsync(() => calls.Count == 3, "3 activities run");
        Assert.Equal(
            (3, Count - 3),
            ((int)first.Engine.Statistics.RunningActivities!, (int)first.Engine.Statistics.WaitingActivities!));
        open.Release(3);
        await Eventually.HoldsAsync(() => calls.Count == 6, "3 more activities run");
        Assert.Equal(Enumerable.Range(0, 6).Select(i => $"{i}"), calls.Order(StringComparer.Ordinal));
        await first.DisposeAsync();
        Assert.Equal((3, 0), (most, running));
        var before = calls.Count;

        var second = await EngineAsync(options);
        await Eventually.HoldsAsync(() => calls.Count == before + 3, "3 activities run again");
        Assert.Equal(3, Volatile.Read(ref running));
        open.Release(Count);
        foreach (var one in started)
        {
            await second.Events.CompletedAsync(one.Id, Cancel);
        }

        await second.IdleAsync();
        Assert.Equal((3, before + Count - 3), (most, calls.Count));

        // The last one has posted its result; its place is free a moment later.
        await Eventually.HoldsAsync(
            () => second.Engine.Statistics is { RunningActivities: 0, WaitingActivities: 0 },
            "no activity runs or waits");
    }

    [Fact]
    public async Task Activity_whose_wait_is_over_before_its_turn_is_not_called()
    {
        var calls = new ConcurrentQueue<string>();
        var answer = new TaskCompletionSource<Value>(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(With(TestActivities.Of("work", async (input, token) =>
        {
            calls.Enqueue(input.AsContext()["n"].ToString());
            return await answer.Task.WaitAsync(token);
        })) with { Limits = new() { MaxRunningActivities = 1 } }).WithAsync(Invoke("work"));
        var first = await engine.StartAsync("invoke", """{ "n": 1 }""");
        var second = await engine.StartAsync("invoke", """{ "n": 2 }""");
        var third = await engine.StartAsync("invoke", """{ "n": 3 }""");

        await engine.Engine.CancelAsync(second.Id, Cancel);
        answer.SetResult(Value.Null);

        await engine.Events.CompletedAsync(first.Id, Cancel);
        await engine.Events.CompletedAsync(third.Id, Cancel);
        await engine.IdleAsync();
        Assert.Equal(["1", "3"], calls);
    }

    [Fact]
    public async Task Unregistered_activity_fails_its_step()
    {
        var first = await EngineAsync(With(TestActivities.Of("work", async (input, token) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return input;
        })));
        await first.RegisterAsync(Invoke("work"));
        var running = await first.StartAsync("invoke");
        await first.DisposeAsync();

        var second = await EngineAsync(With());
        var fresh = await second.StartAsync("invoke");

        Assert.Contains(
            "not registered", (await second.Events.FailedAsync(running.Id, Cancel)).Error, StringComparison.Ordinal);
        Assert.Contains(
            "not registered", (await second.Events.FailedAsync(fresh.Id, Cancel)).Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Result_that_cannot_be_stored_fails_its_instance_alone(bool inline)
    {
        var deep = Enumerable.Range(0, 60).Aggregate(Value.From(1), (inner, _) => Value.From([inner]));
        var engine = await EngineAsync(With(
            TestActivities.Of("half", (_, _) => new(Value.From("\ud800")), inline),
            TestActivities.Of("deep", (_, _) => new(deep), inline),
            TestActivities.Echo)).WithAsync(Invoke("half", "half"), Invoke("deep", "deep"), Invoke("echo", "other"));

        var others = await Task.WhenAll(
            Enumerable.Range(0, 20).Select(i => engine.StartAsync("other", $$"""{ "n": {{i}} }""")));
        var half = await engine.StartAsync("half");
        var nested = await engine.StartAsync("deep");

        Assert.Contains(
            "surrogate", (await engine.Events.FailedAsync(half.Id, Cancel)).Error, StringComparison.Ordinal);
        Assert.Contains(
            "60 levels deep", (await engine.Events.FailedAsync(nested.Id, Cancel)).Error, StringComparison.Ordinal);
        await engine.Events.WaitAsync<InstanceCompleted>(others.Length, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal((0, 0), (engine.Engine.Statistics.RejectedCommands, engine.Engine.Statistics.FailedFlushes));
    }

    [Fact]
    public async Task Inline_activity_that_does_not_complete_fails_its_step()
    {
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(With(TestActivities.Of("late", async (input, _) =>
        {
            await over.Task;
            return input;
        }, inline: true)));
        await engine.RegisterAsync(Invoke("late"));

        var started = await engine.StartAsync("invoke");
        over.SetResult();

        Assert.Equal(InstanceState.Failed, started.State);
        Assert.Contains("inline", (await engine.ViewAsync(started.Id)).Error!.Message, StringComparison.Ordinal);
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }

    private static WorkflowEngineOptions With(params Activity[] activities) =>
        new() { Lanes = 1, Activities = activities };

    private static string Invoke(string activity, string name = "invoke") =>
        $$"""
        { "name": "{{name}}", "version": 1, "start": "call", "steps": {
          "call": { "type": "invoke", "activity": "{{activity}}", "input": { "n": "= n" }, "result": "answer",
            "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;
}
