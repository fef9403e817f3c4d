using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Suspend and resume: nothing that comes meanwhile is lost or doubled, and nothing runs twice.</summary>
public abstract class SuspensionConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Pause =
        """
        { "name": "pause", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT10S", "next": "done" },
          "done": { "type": "end", "output": "late" } } }
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
          "check": { "type": "task", "result": "decision", "next": "done" },
          "done": { "type": "end", "output": "= decision" } } }
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
    public async Task Signal_received_while_suspended_is_taken_after_resumption(bool byId)
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
            ["started wait", "waiting wait", "suspended", "resumed", "signalled wait", "completed"],
            await engine.HistoryAsync(started.Id));
        Assert.Equal(started.Id, Assert.Single(engine.Events.Of<InstanceSuspended>()).InstanceId);
        Assert.Equal(started.Id, Assert.Single(engine.Events.Of<InstanceResumed>()).InstanceId);
        await engine.IdleAsync();
        var counts = engine.Engine.Statistics;
        Assert.Equal(
            (1L, 1L, 1L, 1L), (counts.Suspended, counts.Resumed, counts.SignalsConsumed, counts.BufferedSignals));
    }

    [Fact]
    public async Task Resumed_instance_without_a_signal_keeps_waiting()
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
    public async Task Timer_due_while_suspended_fires_after_resumption(bool restart)
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
    public async Task Timeout_while_suspended_follows_the_waiting_signal()
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
    public async Task Activity_result_received_while_suspended_is_kept(bool restart)
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
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
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
    public async Task Suspended_activity_is_called_after_restart_and_resumption()
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
        await entered.Task.WaitAsync(Eventually.Deadline, Cancel);
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
    public async Task Outputs_received_while_suspended_are_kept()
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
    public async Task Suspended_instance_is_cancelled_with_its_children()
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
