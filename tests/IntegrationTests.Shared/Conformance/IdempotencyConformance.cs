namespace IntegrationTests.Shared.Conformance;

/// <summary>A request repeated with its key has one effect.</summary>
public abstract class IdempotencyConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(1, null), InlineData(3, null), InlineData(3, "order")]
    public async Task Start_repeated_with_its_key_starts_once_also_after_a_restart(int lanes, string? key)
    {
        var engine = await EngineAsync(lanes).WithAsync(Definitions.WaitForGo);
        var first = await engine.StartAsync("waitForGo", """{ "id": "a" }""", key, "once");

        var again = await engine.StartAsync("waitForGo", """{ "id": "a" }""", key, "once");
        await engine.DisposeAsync();
        engine = await EngineAsync(lanes);
        var afterRestart = await engine.StartAsync("waitForGo", """{ "id": "a" }""", key, "once");
        await engine.SignalAsync("go", "a");
        await engine.Events.CompletedAsync(first.Id, Cancel);
        var afterEnd = await engine.StartAsync("waitForGo", """{ "id": "a" }""", key, "once");

        Assert.False(first.Duplicate);
        Assert.All([again, afterRestart, afterEnd], s => Assert.Equal((first.Id, true), (s.Id, s.Duplicate)));
        Assert.Single((await engine.Engine.ListInstancesAsync(new(), Cancel)).Items);
        Assert.Equal(0, engine.Engine.Statistics.Started);
    }

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Suspension_and_resumption_repeated_with_their_keys_have_one_effect_also_after_a_restart(int lanes)
    {
        var engine = await EngineAsync(lanes).WithAsync(Definitions.WaitForGo);
        var id = (await engine.StartAsync("waitForGo", """{ "id": "a" }""")).Id;
        var other = (await engine.StartAsync("waitForGo", """{ "id": "b" }""")).Id;

        Assert.Equal(new(id, InstanceState.Suspended, Duplicate: false), await engine.Engine.SuspendAsync(id, "s", Cancel));
        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: false), await engine.Engine.ResumeAsync(id, "r", Cancel));
        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: true), await engine.Engine.SuspendAsync(id, "s", Cancel));
        await engine.DisposeAsync();
        engine = await EngineAsync(lanes);
        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: true), await engine.Engine.SuspendAsync(id, "s", Cancel));
        Assert.Equal(new(id, InstanceState.Suspended, Duplicate: false), await engine.Engine.SuspendAsync(id, "again", Cancel));
        Assert.Equal(new(id, InstanceState.Suspended, Duplicate: true), await engine.Engine.ResumeAsync(id, "r", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.SuspendAsync(other, "s", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.ResumeAsync(other, "r", Cancel));

        Assert.Equal(["suspended", "resumed", "suspended"],
            (await engine.HistoryAsync(id)).Where(line => line is "suspended" or "resumed"));
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(other)).State);
    }

    [Fact]
    public async Task Cancellation_and_assignment_repeated_with_their_keys_have_one_effect_and_other_requests_are_refused()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        await engine.RegisterAsync("""
            { "name": "ask", "version": 1, "start": "check", "steps": { "check": { "type": "task", "next": "done" }, "done": { "type": "end" } } }
            """);
        var id = (await engine.StartAsync("waitForGo", """{ "id": "a" }""")).Id;
        var other = (await engine.StartAsync("waitForGo", """{ "id": "b" }""")).Id;
        await engine.StartAsync("ask");
        var task = (await engine.Engine.ListTasksAsync(new(), Cancel)).Items.Single();

        Assert.False((await engine.Engine.CancelAsync(id, "c", Cancel)).Duplicate);
        Assert.True((await engine.Engine.CancelAsync(id, "c", Cancel)).Duplicate);
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.CancelAsync(other, "c", Cancel));
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(other)).State);

        Assert.Equal(("ann", false), Shown(await engine.Engine.AssignTaskAsync(task.Id, "ann", "a", Cancel)));
        Assert.Equal(("bob", false), Shown(await engine.Engine.AssignTaskAsync(task.Id, "bob", "b", Cancel)));
        Assert.Equal(("bob", true), Shown(await engine.Engine.AssignTaskAsync(task.Id, "ann", "a", Cancel)));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.AssignTaskAsync(task.Id, "eve", "a", Cancel));
        Assert.Equal("bob", (await engine.Engine.FindTaskAsync(task.Id, Cancel))!.Assignee);

        foreach (var key in new[] { "", new string('k', 257) })
        {
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.CancelAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.SuspendAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.ResumeAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.AssignTaskAsync(task.Id, "ann", key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.ReplayDeadLetterAsync(other, key, Cancel));
        }

        static (string?, bool) Shown(TaskAccepted accepted) => (accepted.Assignee, accepted.Duplicate);
    }

    [Fact]
    public async Task Key_counts_for_as_long_as_keys_are_kept_and_after_that_until_the_store_has_removed_it()
    {
        var time = new ManualTime();
        var store = Open();
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, new FaultyStore(store) { Trim = _ => false })
            .WithAsync(Definitions.WaitForGo);
        var first = await StartAsync();

        time.Advance(TimeSpan.FromHours(23));
        Assert.Equal((first.Id, true), Shown(await StartAsync()));
        time.Advance(TimeSpan.FromHours(2));
        Assert.Equal((first.Id, true), Shown(await StartAsync()));

        while (await store.TrimAsync(StoreRows.Trim(default, time.GetUtcNow() - TimeSpan.FromHours(24), default, null), Cancel))
        {
        }

        time.Advance(TimeSpan.FromMinutes(1));
        var next = await StartAsync();
        Assert.False(next.Duplicate);
        Assert.NotEqual(first.Id, next.Id);
        Assert.Equal((next.Id, true), Shown(await StartAsync()));

        Task<InstanceStarted> StartAsync() => engine.StartAsync("waitForGo", """{ "id": "a" }""", idempotencyKey: "once");
        static (Guid, bool) Shown(InstanceStarted started) => (started.Id, started.Duplicate);
    }

    [Fact]
    public async Task Start_sent_twice_at_once_starts_once_and_costs_no_flush()
    {
        var engine = await EngineAsync(8).WithAsync(Definitions.WaitForGo);

        var pairs = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => Task.WhenAll(Enumerable.Range(0, 2).Select(_ =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", idempotencyKey: $"once {i}")))));

        Assert.All(pairs, pair => Assert.Equal(pair[0].Id, pair[1].Id));
        Assert.All(pairs, pair => Assert.Single(pair, s => !s.Duplicate));
        var statistics = engine.Engine.Statistics;
        Assert.Equal((50, 0, 0), (statistics.Started, statistics.FailedFlushes, statistics.LaneReloads));
    }

    [Fact]
    public async Task Key_used_at_once_for_requests_of_two_lanes_is_refused_to_one_and_costs_no_flush()
    {
        var engine = await EngineAsync(8).WithAsync(Definitions.WaitForGo);

        var refused = 0;
        await Task.WhenAll(Enumerable.Range(0, 50).SelectMany(i => new[] { "a", "b" }.Select(async key =>
        {
            try
            {
                await engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{key} {i}", $"once {i}");
            }
            catch (IdempotencyConflictException)
            {
                Interlocked.Increment(ref refused);
            }
        })));

        var statistics = engine.Engine.Statistics;
        Assert.Equal((50, 50), (statistics.Started, refused));
        Assert.Equal((0, 0), (statistics.FailedFlushes, statistics.LaneReloads));
    }

    [Fact]
    public async Task Signal_repeated_with_its_key_is_delivered_once_also_after_a_restart()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitTwice);
        var started = await engine.StartAsync("waitTwice", """{ "id": "a" }""", "a");
        var first = await engine.SignalAsync("go", "a", "1", "once");

        var again = await engine.SignalAsync("go", "a", "1", "once");
        await engine.DisposeAsync();
        engine = await EngineAsync(2);
        var afterRestart = await engine.SignalAsync("go", "a", "1", "once");
        await engine.IdleAsync();
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
        await engine.SignalAsync("go", "a", "2", "other");

        Assert.Equal("[1,2]", await engine.OutputAsync(started.Id));
        var afterEnd = await engine.SignalAsync("go", "a", "1", "once");
        Assert.All([again, afterRestart, afterEnd], s => Assert.Equal((first.Id, true), (s.Id, s.Duplicate)));
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Signal_to_an_instance_repeated_after_the_instance_has_finished_is_still_a_duplicate()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitById);
        var started = await engine.StartAsync("waitById");
        var first = await engine.SignalAsync("go", started.Id, "1", "once");
        await engine.Events.CompletedAsync(started.Id, Cancel);

        var again = await engine.SignalAsync("go", started.Id, "1", "once");

        Assert.Equal((first.Id, true), (again.Id, again.Duplicate));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Key_used_for_another_request_is_a_conflict(bool restart)
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        await engine.StartAsync("waitForGo", """{ "id": "a" }""", null, "start");
        await engine.SignalAsync("go", "b", "1", "signal");
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(3);
        }

        var start = await Assert.ThrowsAsync<IdempotencyConflictException>(() =>
            engine.StartAsync("waitForGo", """{ "id": "other" }""", null, "start"));
        var signal = await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.SignalAsync("go", "b", "2", "signal"));

        Assert.Contains("'start'", start.Message, StringComparison.Ordinal);
        Assert.Contains("'signal'", signal.Message, StringComparison.Ordinal);
        Assert.Single((await engine.Engine.ListInstancesAsync(new(), Cancel)).Items);
    }

    [Fact]
    public async Task Start_and_signal_may_share_a_key()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);

        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""", "a", "same");
        await engine.SignalAsync("go", "a", "1", "same");

        Assert.Equal("1", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Duplicates_at_the_same_time_have_one_effect_whatever_lane_they_come_to(int lanes)
    {
        var engine = await EngineAsync(lanes).WithAsync(Definitions.WaitForGo);

        var starts = await Task.WhenAll(
            Enumerable.Range(0, 200).Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "d{{i / 4}}" }""", null, $"start {i / 4}")));
        var signals = await Task.WhenAll(
            Enumerable.Range(0, 200).Select(i => engine.SignalAsync("go", $"d{i / 4}", $"{i / 4}", $"signal {i / 4}")));

        Assert.Equal(50, starts.Select(s => s.Id).Distinct().Count());
        Assert.Equal(50, starts.Count(s => !s.Duplicate));
        Assert.Equal(50, signals.Count(s => !s.Duplicate));
        Assert.Equal(50, signals.Select(s => s.Id).Distinct().Count());
        var completed = await engine.Events.WaitAsync<InstanceCompleted>(50, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(Enumerable.Range(0, 50), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        Assert.Equal(
            (50, 50, 50), (engine.Engine.Statistics.Started, engine.Engine.Statistics.Completed, engine.Engine.Statistics.Signals));
    }

    [Fact]
    public async Task Refused_signal_does_not_use_its_key_up()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitById);
        await Assert.ThrowsAsync<InstanceNotFoundException>(() => engine.SignalAsync("go", Guid.NewGuid(), null, "once"));

        var started = await engine.StartAsync("waitById");
        var accepted = await engine.SignalAsync("go", started.Id, null, "once");

        Assert.False(accepted.Duplicate);
        Assert.True(accepted.Delivered);
    }
}
