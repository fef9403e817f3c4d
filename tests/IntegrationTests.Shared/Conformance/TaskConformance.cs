namespace IntegrationTests.Shared.Conformance;

/// <summary>Tasks are created, listed, assigned, completed, timed out and cancelled, each exactly once.</summary>
public abstract class TaskConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Review =
        """
        { "name": "review", "version": 1, "start": "check", "steps": {
          "check": { "type": "task", "assignee": "= agent", "groups": [ "underwriters", "= team" ], "timeout": "PT1H",
            "onTimeout": "late", "result": "decision", "next": "done" },
          "late": { "type": "end", "output": "late" },
          "done": { "type": "end", "output": "= decision" } } }
        """;

    [Fact]
    public async Task Output_of_a_task_continues_the_instance()
    {
        var engine = await EngineAsync(time: new ManualTime()).WithAsync(Review);
        var started = await engine.StartAsync("review", """{ "agent": "ann", "team": "night" }""", key: "case 1");

        var created = (await engine.Events.WaitAsync<TaskCreated>(1, _ => true, Cancel))[0];
        var wait = Assert.Single((await engine.ViewAsync(started.Id)).Waits);
        Assert.Equal(("task", "ann", created.TaskId), (wait.Kind, wait.Name, wait.Id));
        Assert.Equal(
            (started.Id, "case 1", "check", "ann"),
            (created.InstanceId, created.CorrelationKey, created.Step, created.Assignee));
        Assert.Equal(["underwriters", "night"], created.Groups);
        foreach (var query in (TaskQuery[])
        [
            new(), new() { Assignee = "ann" }, new() { Group = "night" }, new() { State = TaskState.Open },
            new() { Assignee = "ann", Group = "underwriters", State = TaskState.Open },
        ])
        {
            Assert.Equal(created.TaskId, Assert.Single((await engine.Engine.ListTasksAsync(query, Cancel)).Items).Id);
        }

        foreach (var query in (TaskQuery[])
        [
            new() { Assignee = "bob" }, new() { Group = "ann" },
            new() { State = TaskState.Completed }, new() { After = created.TaskId },
        ])
        {
            Assert.Empty((await engine.Engine.ListTasksAsync(query, Cancel)).Items);
        }

        Assert.Equal(1, engine.Engine.Statistics.OpenTasks);
        var accepted = await CompleteAsync(engine, created.TaskId, """{ "ok": true }""");

        Assert.Equal(new(created.TaskId, started.Id, TaskState.Completed, "ann", Duplicate: false), accepted);
        Assert.Equal("""{"ok":true}""", await engine.OutputAsync(started.Id));
        var completed = Assert.Single(engine.Events.Of<TaskCompleted>());
        Assert.Equal(
            (created.TaskId, "ann", """{"ok":true}"""),
            (completed.TaskId, completed.Assignee, completed.Output!.Value.GetRawText()));
        var view = await engine.Engine.FindTaskAsync(created.TaskId, Cancel);
        Assert.Equal((TaskState.Completed, "ann", """{"ok":true}""", created.DueAt),
            (view!.State, view.Assignee, view.Output!.Value.GetRawText(), view.DueAt));
        Assert.Equal(0, engine.Engine.Statistics.OpenTasks);
        Assert.Equal(
            ["started check", "waiting check", "taskCompleted check", "completed"],
            await engine.HistoryAsync(started.Id));
    }

    [Fact]
    public async Task Assignment_is_shown_and_outlives_the_engine()
    {
        var first = await EngineAsync(lanes: 2).WithAsync(Review);
        var task = await OpenTaskAsync(first, """{ "team": "night" }""");
        Assert.Null(task.Assignee);

        Assert.False((await first.Engine.AssignTaskAsync(task.TaskId, "bob", Cancel)).Duplicate);
        Assert.True((await first.Engine.AssignTaskAsync(task.TaskId, "bob", Cancel)).Duplicate);
        await first.DisposeAsync();

        var second = await EngineAsync(lanes: 3);
        Assert.Equal(task.TaskId,
            Assert.Single(
                (await second.Engine
                    .ListTasksAsync(new() { Assignee = "bob", State = TaskState.Open }, Cancel)).Items).Id);
        Assert.Equal("bob", Assert.Single((await second.ViewAsync(task.InstanceId!.Value)).Waits).Name);
        Assert.Equal("bob", (await CompleteAsync(second, task.TaskId, "7")).Assignee);
        Assert.Equal("7", await second.OutputAsync(task.InstanceId.Value));
        Assert.Contains("assigned check", await second.HistoryAsync(task.InstanceId.Value));
    }

    [Fact]
    public async Task Second_completion_is_refused_with_who_and_when()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(time: time).WithAsync(Review);
        var task = await OpenTaskAsync(engine, """{ "agent": "ann", "team": "t" }""");
        var first = await CompleteAsync(engine, task.TaskId, "1", "key");

        var again = await CompleteAsync(engine, task.TaskId, "1", "key");
        var closed = await Assert.ThrowsAsync<TaskClosedException>(() => CompleteAsync(engine, task.TaskId, "1"));
        var otherKey = await Assert.ThrowsAsync<TaskClosedException>(
            () => CompleteAsync(engine, task.TaskId, "1", "another key"));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => CompleteAsync(engine, task.TaskId, "2", "key"));
        await Assert.ThrowsAsync<TaskClosedException>(() => engine.Engine.AssignTaskAsync(task.TaskId, "bob", Cancel));

        Assert.Equal(first with { Duplicate = true }, again);
        AssertHolds(closed.Message, "'ann'", $"{time.GetUtcNow().UtcDateTime:yyyy-MM-ddTHH:mm:ss}");
        Assert.Equal(TaskState.Completed, otherKey.Task.State);
        await engine.OutputAsync(task.InstanceId!.Value);
        Assert.Single(engine.Events.Of<TaskCompleted>());
    }

    [Fact]
    public async Task Unknown_task_and_bad_arguments_are_named()
    {
        var engine = await EngineAsync();
        var nobody = Guid.NewGuid();

        Assert.Null(await engine.Engine.FindTaskAsync(nobody, Cancel));
        Assert.Contains(nobody.ToString(),
            (await Assert.ThrowsAsync<TaskNotFoundException>(() => CompleteAsync(engine, nobody, "1"))).Message,
            StringComparison.Ordinal);
        await Assert.ThrowsAsync<TaskNotFoundException>(() => engine.Engine.AssignTaskAsync(nobody, "ann", Cancel));
        Assert.Equal("assignee",
            (await Assert.ThrowsAsync<InvalidCommandException>(
                () => engine.Engine.AssignTaskAsync(nobody, "", Cancel))).Parameter);
        Assert.Equal("assignee", (await Assert.ThrowsAsync<InvalidCommandException>(() =>
            engine.Engine.AssignTaskAsync(nobody, new('a', 257), Cancel))).Parameter);
        Assert.Equal("limit",
            (await Assert.ThrowsAsync<InvalidCommandException>(
                () => engine.Engine.ListTasksAsync(new() { Limit = 0 }, Cancel))).Parameter);
    }

    [Fact]
    public async Task Time_that_is_over_closes_the_task_and_takes_its_way()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(time: time).WithAsync(Review);
        var task = await OpenTaskAsync(engine, """{ "team": "t" }""");
        await engine.Engine.AssignTaskAsync(task.TaskId, "ann", Cancel);

        time.Advance(TimeSpan.FromHours(1));

        Assert.Equal("\"late\"", await engine.OutputAsync(task.InstanceId!.Value));
        var closed = await Assert.ThrowsAsync<TaskClosedException>(() => CompleteAsync(engine, task.TaskId, "1"));
        Assert.Equal((TaskState.TimedOut, "ann"), (closed.Task.State, closed.Task.Assignee));
        Assert.Empty(engine.Events.Of<TaskCompleted>());
    }

    [Fact]
    public async Task Cancelled_instance_cancels_its_tasks()
    {
        var engine = await EngineAsync().WithAsync(Review, Definitions.Empty);
        var task = await OpenTaskAsync(engine, """{ "team": "t" }""");
        var over = await engine.StartAsync("empty");

        Assert.Equal(
            new(task.InstanceId!.Value, Duplicate: false),
            await engine.Engine.CancelAsync(task.InstanceId.Value, Cancel));
        Assert.True((await engine.Engine.CancelAsync(task.InstanceId.Value, Cancel)).Duplicate);

        Assert.Equal(InstanceState.Cancelled, (await engine.ViewAsync(task.InstanceId.Value)).State);
        Assert.Equal(TaskState.Cancelled, (await engine.Engine.FindTaskAsync(task.TaskId, Cancel))!.State);
        Assert.Equal(
            "completed",
            (await Assert.ThrowsAsync<InstanceFinishedException>(
                () => engine.Engine.CancelAsync(over.Id, Cancel))).State);
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.Engine.CancelAsync(Guid.NewGuid(), Cancel));
        await engine.IdleAsync();
        Assert.Equal(
            task.InstanceId,
            Assert.Single(await engine.Events.WaitAsync<InstanceCancelled>(1, _ => true, Cancel)).InstanceId);
        var statistics = engine.Engine.Statistics;
        Assert.Equal((1, 0, 0), (statistics.Cancelled, statistics.OpenTasks, statistics.LiveInstances));
        Assert.Contains("cancelled", await engine.HistoryAsync(task.InstanceId.Value));
    }

    [Fact]
    public async Task Invalid_assignee_stops_the_instance()
    {
        (string Input, string Member, string Shown)[] cases =
        [
            ("""{ "agent": true, "team": "t" }""", "assignee", "true"),
            ("""{ "agent": "", "team": "t" }""", "assignee", "\"\""),
            ("""{ "agent": "a\u0000b", "team": "t" }""", "assignee", "1 to 256"),
            ("""{ "agent": "ann" }""", "groups", "null"),
        ];
        var engine = await EngineAsync().WithAsync(Review);
        foreach (var (input, member, shown) in cases)
        {
            var started = await engine.StartAsync("review", input);

            var failed = await engine.Events.FailedAsync(started.Id, Cancel);
            AssertHolds(failed.Error, $"'{member}'", shown);
            Assert.Empty((await engine.Engine.ListTasksAsync(new(), Cancel)).Items);
        }
    }

    [Fact]
    public async Task Task_created_and_cancelled_in_one_commit_is_cancelled()
    {
        Assert.SkipWhen(
            Stores.Residency is not null, "Counts commits; instances that become dormant add some.");
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "hasty", "version": 1, "start": "split", "steps": {
              "split": { "type": "fork", "branches": [ "check", "stop" ], "join": "both" },
              "check": { "type": "task", "next": "both" },
              "stop": { "type": "end", "terminate": true },
              "both": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
            """);

        Assert.Equal(InstanceState.Completed, (await engine.StartAsync("hasty")).State);

        Assert.Equal(
            TaskState.Cancelled, Assert.Single((await engine.Engine.ListTasksAsync(new(), Cancel)).Items).State);
        Assert.Equal(1, engine.Engine.Statistics.Flushes);
    }

    [Fact]
    public async Task Tasks_are_listed_in_pages()
    {
        var engine = await EngineAsync(lanes: 2).WithAsync(Review);
        for (var i = 0; i < 5; i++)
        {
            await engine.StartAsync("review", $$"""{ "agent": "agent {{i % 2}}", "team": "t" }""");
        }

        var first = await engine.Engine.ListTasksAsync(new() { Group = "t", Limit = 3 }, Cancel);
        var second = await engine.Engine.ListTasksAsync(new() { Group = "t", Limit = 3, After = first.Next }, Cancel);

        Assert.Equal((3, 2, null), (first.Items.Count, second.Items.Count, second.Next));
        Assert.Equal(5, first.Items.Concat(second.Items).Select(t => t.Id).Distinct().Count());
        Assert.Equal(3, (await engine.Engine.ListTasksAsync(new() { Assignee = "agent 0" }, Cancel)).Items.Count);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Task_is_completed_once_despite_failed_flushes(bool afterCommit)
    {
        for (var fail = 1; fail <= 4; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store, after: null)
                .WithAsync(Review);
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);

            var started = await engine.StartAsync(
                "review", """{ "team": "t" }""", idempotencyKey: $"start {fail} {afterCommit}");
            var task = (await engine.Events.WaitAsync<TaskCreated>(1, e => e.InstanceId == started.Id, Cancel))[0];
            await engine.Engine.AssignTaskAsync(task.TaskId, "ann", Cancel);
            await CompleteAsync(engine, task.TaskId, $"{fail}", $"complete {fail} {afterCommit}");

            Assert.Equal($"{fail}", await engine.OutputAsync(started.Id));
            await engine.IdleAsync();
            Assert.Single(engine.Events.Of<TaskCreated>(), e => e.InstanceId == started.Id);
            Assert.Single(engine.Events.Of<TaskCompleted>(), e => e.InstanceId == started.Id);
            Assert.Equal(["started check", "waiting check", "assigned check", "taskCompleted check", "completed"],
                await engine.HistoryAsync(started.Id));
            Assert.Empty((await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel)).Items);
            Assert.Equal("ann", (await engine.Engine.FindTaskAsync(task.TaskId, Cancel))!.Assignee);
            await engine.DisposeAsync();
        }
    }

    [Fact]
    public async Task Repeated_completion_is_answered_by_the_next_engine()
    {
        var store = new FaultyStore(Open());
        var first = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, OutageTolerance = TimeSpan.Zero }, store: store);
        await first.RegisterAsync(Review);
        var task = await OpenTaskAsync(first, """{ "agent": "ann", "team": "t" }""");
        store.FailNext(new(FlushFailure.Unavailable, AfterCommit: true, ThenAway: true));

        var unknown = await Assert.ThrowsAsync<StoreUnavailableException>(
            () => CompleteAsync(first, task.TaskId, "1", "key"));
        Assert.True(unknown.OutcomeUnknown);
        await first.DisposeAsync();

        var second = await EngineAsync();
        Assert.Equal(new(task.TaskId, task.InstanceId!.Value, TaskState.Completed, "ann", Duplicate: true),
            await CompleteAsync(second, task.TaskId, "1", "key"));
        Assert.Equal("1", await second.OutputAsync(task.InstanceId.Value));
        Assert.Single(second.Events.Of<TaskCompleted>());
    }

    private static async Task<TaskCreated> OpenTaskAsync(EngineSession engine, string input)
    {
        var started = await engine.StartAsync("review", input);
        return (await engine.Events.WaitAsync<TaskCreated>(1, e => e.InstanceId == started.Id, Cancel))[0];
    }

    private static Task<TaskAccepted> CompleteAsync(
        EngineSession engine, Guid task, string output, string? key = null) =>
        engine.Engine.CompleteTaskAsync(
            new() { TaskId = task, Output = Value.Parse(output), IdempotencyKey = key }, Cancel);
}
