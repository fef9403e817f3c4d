using System.Security.Cryptography;

namespace IntegrationTests.Shared.Conformance;

/// <summary>A request repeated with its key has one effect.</summary>
public abstract class IdempotencyConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(3, null), InlineData(3, "order")]
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

    /// <summary>The answer of a repeat is that of a look at the instance.</summary>
    [Fact]
    public async Task Repeated_start_answers_the_present_state()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        var first = await engine.StartAsync("waitForGo", """{ "id": "a" }""", idempotencyKey: "once");
        await engine.RegisterAsync(
            Definitions.WaitForGo.Replace("\"version\": 1", "\"version\": 2", StringComparison.Ordinal));

        Assert.Equal((InstanceState.Waiting, 1, false), (first.State, first.Version, first.Duplicate));
        Assert.Equal((InstanceState.Waiting, 1, true), await AgainAsync());
        await engine.SuspendAsync(first.Id);
        Assert.Equal((InstanceState.Suspended, 1, true), await AgainAsync());
        await engine.ResumeAsync(first.Id);
        await engine.SignalAsync("go", "a");
        await engine.Events.CompletedAsync(first.Id, Cancel);
        Assert.Equal((InstanceState.Completed, 1, true), await AgainAsync());
        await engine.DisposeAsync();
        engine = await EngineAsync(3);
        Assert.Equal((InstanceState.Completed, 1, true), await AgainAsync());

        async Task<(InstanceState, int, bool)> AgainAsync()
        {
            var again = await engine.StartAsync("waitForGo", """{ "id": "a" }""", idempotencyKey: "once");
            Assert.Equal(first.Id, again.Id);
            return (again.State, again.Version, again.Duplicate);
        }
    }

    [Fact]
    public async Task Start_repeated_after_a_failure_reports_the_failure()
    {
        var engine = await EngineAsync().WithAsync(
            """{ "name": "bad", "version": 1, "start": "no", "steps": { "no": { "type": "fail", "error": "no" } } }""");

        await engine.StartAsync("bad", idempotencyKey: "once");

        Assert.Equal(InstanceState.Failed, (await engine.StartAsync("bad", idempotencyKey: "once")).State);
    }

    [Fact]
    public async Task Requests_with_the_same_values_are_the_same()
    {
        string[] same =
        [
            """{ "id": "a", "o": { "x": 1, "y": [ { "p": 1.0, "q": "ä" }, 2 ] } }""",
            """{ "o": { "y": [ { "q": "\u00e4", "p": 1e0 }, 2.00 ], "x": 10e-1 }, "id": "a" }""",
        ];
        const string First = """{ "o": { "y": [ { "q": "ä", "p": 1 }, 2 ], "x": 1 }, "id": "a" }""";
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        await engine.RegisterAsync("""
            { "name": "ask", "version": 1, "start": "check", "steps": {
              "check": { "type": "task", "next": "bad" }, "bad": { "type": "delay", "duration": "= o", "next": "done" },
              "done": { "type": "end" } } }
            """);
        var started = await engine.StartAsync("waitForGo", First, idempotencyKey: "k");
        var signal = await engine.SignalAsync("paid", "c", First, idempotencyKey: "k");
        await engine.StartAsync("ask");
        var task = (await engine.Engine.ListTasksAsync(new(), Cancel)).Items.Single();
        var completed = await CompleteAsync(First);
        await engine.RetryAsync(completed.InstanceId, First, "k");

        foreach (var json in same)
        {
            var startedAgain = await engine.StartAsync("waitForGo", json, idempotencyKey: "k");
            Assert.Equal((started.Id, true), (startedAgain.Id, startedAgain.Duplicate));
            var signalAgain = await engine.SignalAsync("paid", "c", json, idempotencyKey: "k");
            Assert.Equal((signal.Id, true), (signalAgain.Id, signalAgain.Duplicate));
            Assert.True((await CompleteAsync(json)).Duplicate);
            Assert.True((await engine.RetryAsync(completed.InstanceId, json, "k")).Duplicate);
        }

        Task<TaskAccepted> CompleteAsync(string output) => engine.Engine.CompleteTaskAsync(
            new() { TaskId = task.Id, Output = Value.Parse(output), IdempotencyKey = "k" }, Cancel);
    }

    [Fact]
    public async Task Requests_with_other_values_are_others()
    {
        string[] others =
        [
            """{ "id": "a", "list": [ 2, 1 ] }""",
            """{ "id": "a", "list": [ "1", 2 ] }""",
            """{ "id": "a", "list": [ 1, 2 ], "x": null }""",
            """{ "id": "a", "list": [ 1, 2.0000001 ] }""",
        ];
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);
        await engine.StartAsync("waitForGo", """{ "id": "a", "list": [ 1, 2 ] }""", idempotencyKey: "k");

        foreach (var other in others)
        {
            await Assert.ThrowsAsync<IdempotencyConflictException>(
                () => engine.StartAsync("waitForGo", other, idempotencyKey: "k"));
        }
    }

    /// <summary>The hash of the JSON as it was sent, which keys had before JSON was compared by value.</summary>
    [Fact]
    public async Task Key_stored_with_the_hash_of_the_text_is_recognised()
    {
        const string Sent = """{"o":{"y":1.0,"x":2},"id":"a"}""";
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);
        var first = await engine.StartAsync("waitForGo", Sent);
        await engine.DisposeAsync();
        await AddKeyAsync(
            new("start:k", Hashed("waitForGo", null, null, Sent), first.Id, TimeProvider.System.GetUtcNow()));

        engine = await EngineAsync();
        var again = await engine.StartAsync("waitForGo", Sent, idempotencyKey: "k");

        Assert.Equal((first.Id, true), (again.Id, again.Duplicate));
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.StartAsync(
                "waitForGo", Sent.Replace("2", "3", StringComparison.Ordinal), idempotencyKey: "k"));
    }

    private async Task AddKeyAsync(IdempotencyRow key)
    {
        await using var store = Open();
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        var loaded = await lane.LoadAsync(Cancel);
        await lane.FlushAsync(
            StoreRows.Batch(loaded.LastBatch + 1, loaded.LastSequence, batch => batch.Keys.Add(key)), Cancel);
    }

    private static string Hashed(params string?[] parts)
    {
        var text = string.Concat(
            parts.Select(part => string.Create(CultureInfo.InvariantCulture, $"{part?.Length ?? -1}:{part}|")));
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..32];
    }

    [Fact]
    public async Task Suspension_repeated_with_its_key_has_one_effect()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        var id = (await engine.StartAsync("waitForGo", """{ "id": "a" }""")).Id;
        var other = (await engine.StartAsync("waitForGo", """{ "id": "b" }""")).Id;

        Assert.Equal(
            new(id, InstanceState.Suspended, Duplicate: false), await engine.Engine.SuspendAsync(id, "s", Cancel));
        Assert.Equal(
            new(id, InstanceState.Waiting, Duplicate: false), await engine.Engine.ResumeAsync(id, "r", Cancel));
        Assert.Equal(
            new(id, InstanceState.Waiting, Duplicate: true), await engine.Engine.SuspendAsync(id, "s", Cancel));
        await engine.DisposeAsync();
        engine = await EngineAsync(3);
        Assert.Equal(
            new(id, InstanceState.Waiting, Duplicate: true), await engine.Engine.SuspendAsync(id, "s", Cancel));
        Assert.Equal(
            new(id, InstanceState.Suspended, Duplicate: false), await engine.Engine.SuspendAsync(id, "again", Cancel));
        Assert.Equal(
            new(id, InstanceState.Suspended, Duplicate: true), await engine.Engine.ResumeAsync(id, "r", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.SuspendAsync(other, "s", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(() => engine.Engine.ResumeAsync(other, "r", Cancel));

        Assert.Equal(["suspended", "resumed", "suspended"],
            (await engine.HistoryAsync(id)).Where(line => line is "suspended" or "resumed"));
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(other)).State);
    }

    [Fact]
    public async Task Cancellation_repeated_with_its_key_has_one_effect()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);
        await engine.RegisterAsync("""
            { "name": "ask", "version": 1, "start": "check", "steps": {
              "check": { "type": "task", "next": "done" }, "done": { "type": "end" } } }
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
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.Engine.AssignTaskAsync(task.Id, "eve", "a", Cancel));
        Assert.Equal("bob", (await engine.Engine.FindTaskAsync(task.Id, Cancel))!.Assignee);

        foreach (var key in new[] { "", new string('k', 257) })
        {
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.CancelAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.SuspendAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.ResumeAsync(other, key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(
                () => engine.Engine.AssignTaskAsync(task.Id, "ann", key, Cancel));
            await Assert.ThrowsAsync<InvalidCommandException>(
                () => engine.Engine.ReplayDeadLetterAsync(other, key, Cancel));
        }

        static (string?, bool) Shown(TaskAccepted accepted) => (accepted.Assignee, accepted.Duplicate);
    }

    [Fact]
    public async Task Key_counts_until_the_store_has_removed_it()
    {
        var time = new ManualTime();
        var store = Open();
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1 }, time, new FaultyStore(store) { Trim = _ => false })
            .WithAsync(Definitions.WaitForGo);
        var first = await StartAsync();

        time.Advance(TimeSpan.FromHours(23));
        Assert.Equal((first.Id, true), Shown(await StartAsync()));
        time.Advance(TimeSpan.FromHours(2));
        Assert.Equal((first.Id, true), Shown(await StartAsync()));

        while (await store.TrimAsync(
            StoreRows.Trim(default, time.GetUtcNow() - TimeSpan.FromHours(24), default, null), Cancel))
        {
        }

        time.Advance(TimeSpan.FromMinutes(1));
        var next = await StartAsync();
        Assert.False(next.Duplicate);
        Assert.NotEqual(first.Id, next.Id);
        Assert.Equal((next.Id, true), Shown(await StartAsync()));

        Task<InstanceStarted> StartAsync() => engine.StartAsync(
            "waitForGo", """{ "id": "a" }""", idempotencyKey: "once");
        static (Guid, bool) Shown(InstanceStarted started) => (started.Id, started.Duplicate);
    }

    [Fact]
    public async Task Start_sent_twice_at_once_starts_once_and_costs_no_flush()
    {
        var engine = await EngineAsync(8).WithAsync(Definitions.WaitForGo);

        var pairs = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => Task.WhenAll(Enumerable.Range(
            0, 2).Select(_ =>
            engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", idempotencyKey: $"once {i}")))));

        Assert.All(pairs, pair => Assert.Equal(pair[0].Id, pair[1].Id));
        Assert.All(pairs, pair => Assert.Single(pair, s => !s.Duplicate));
        var statistics = engine.Engine.Statistics;
        Assert.Equal((50, 0, 0), (statistics.Started, statistics.FailedFlushes, statistics.LaneReloads));
    }

    [Fact]
    public async Task Key_used_at_once_in_two_lanes_is_refused_to_one()
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
    public async Task Signal_repeated_with_its_key_is_delivered_once()
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
    public async Task Signal_repeated_after_its_instance_ended_is_a_duplicate()
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
        var signal = await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.SignalAsync("go", "b", "2", "signal"));

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

    [Fact]
    public async Task Concurrent_duplicates_have_one_effect()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitForGo);

        var starts = await Task.WhenAll(
            Enumerable.Range(0, 200)
                .Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "d{{i / 4}}" }""", null, $"start {i / 4}")));
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
            (50, 50, 50),
            (engine.Engine.Statistics.Started, engine.Engine.Statistics.Completed, engine.Engine.Statistics.Signals));
    }

    [Fact]
    public async Task Refused_signal_does_not_use_its_key_up()
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitById);
        await Assert.ThrowsAsync<InstanceNotFoundException>(
            () => engine.SignalAsync("go", Guid.NewGuid(), null, "once"));

        var started = await engine.StartAsync("waitById");
        var accepted = await engine.SignalAsync("go", started.Id, null, "once");

        Assert.False(accepted.Duplicate);
        Assert.True(accepted.Delivered);
    }
}
