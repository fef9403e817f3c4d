namespace IntegrationTests.Shared.Conformance;

/// <summary>Waits on keys that live in another partition, of the same lane or of another.</summary>
public abstract class CorrelationConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    // With two lanes, partitions 2 and 4 share a lane and 3 is in the other.
    private static readonly string Home = KeyIn(2, "home");
    private static readonly string SameLane = KeyIn(4, "same");
    private static readonly string OtherLane = KeyIn(3, "other");

    [Fact]
    public async Task Key_of_another_partition_of_the_lane_costs_no_message()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", $$"""{ "id": "{{SameLane}}" }""", key: Home);

        Assert.True((await engine.SignalAsync("go", SameLane, "1")).Delivered);

        Assert.Equal("1", await engine.OutputAsync(started.Id));
        Assert.Equal(0, engine.Engine.Statistics.CrossPartitionMessages);
    }

    [Fact]
    public async Task Key_of_another_lane_is_met_by_messages_that_are_counted()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();

        var accepted = await engine.SignalAsync("go", OtherLane, "1");

        Assert.False(accepted.Delivered);
        Assert.Equal("1", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        Assert.Equal(2, engine.Engine.Statistics.CrossPartitionMessages);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
    }

    [Theory]
    [InlineData(2, 2), InlineData(2, 1), InlineData(2, 3)]
    public async Task Wait_on_a_foreign_key_survives_a_restart(int before, int after)
    {
        var first = await EngineAsync(before).WithAsync(Definitions.WaitForGo);
        var same = await first.StartAsync("waitForGo", $$"""{ "id": "{{SameLane}}" }""", key: Home);
        var other = await first.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await first.IdleAsync();
        await first.DisposeAsync();

        var second = await EngineAsync(after);
        await second.SignalAsync("go", SameLane, "1");
        await second.SignalAsync("go", OtherLane, "2");

        Assert.Equal("1", await second.OutputAsync(same.Id));
        Assert.Equal("2", await second.OutputAsync(other.Id));
    }

    [Theory]
    [InlineData("1.50", "1.5"), InlineData("10.0", "10"), InlineData("-0.0", "0")]
    public async Task Numbers_that_are_equal_are_one_key(string number, string key)
    {
        var engine = await EngineAsync().WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", $$"""{ "id": {{number}} }""");

        await engine.SignalAsync("go", key, "1");

        Assert.Equal("1", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Oldest_waiter_is_served_first_across_lanes()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var far = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();
        var near = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: OtherLane);
        await engine.IdleAsync();
        var last = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();

        foreach (var (instance, n) in new[] { (far, 1), (near, 2), (last, 3) })
        {
            await engine.SignalAsync("go", OtherLane, $"{n}");
            Assert.Equal($"{n}", await engine.OutputAsync(instance.Id));
        }
    }

    [Fact]
    public async Task Wait_that_is_over_takes_its_subscription_back()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(2, time).WithAsync(Definitions.WaitAMinute);
        var timedOut = await engine.StartAsync("waitAMinute", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();
        var younger = await engine.StartAsync("waitAMinute", $$"""{ "id": "{{OtherLane}}" }""", key: OtherLane);

        time.Advance(TimeSpan.FromSeconds(59));
        var later = await engine.StartAsync("waitAMinute", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal("\"late\"", await engine.OutputAsync(timedOut.Id));
        Assert.Equal("\"late\"", await engine.OutputAsync(younger.Id));
        await engine.IdleAsync();

        await engine.SignalAsync("go", OtherLane, "7");
        Assert.Equal("7", await engine.OutputAsync(later.Id));
        await engine.IdleAsync();
        // Subscribe twice, unsubscribe once, deliver once: nothing was sent back.
        Assert.Equal(4, engine.Engine.Statistics.CrossPartitionMessages);
    }

    [Fact]
    public async Task Signal_to_a_wait_that_ended_is_offered_to_the_next()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitForGo);
        var gone = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: Home);
        await engine.IdleAsync();
        var next = await engine.StartAsync("waitForGo", $$"""{ "id": "{{OtherLane}}" }""", key: OtherLane);
        await engine.IdleAsync();

        // Both are accepted at the same time by different lanes: the one by key is on its way when the one by id ends
        // the wait, or comes first.
        var byId = engine.SignalAsync("go", gone.Id, "\"by id\"");
        await engine.SignalAsync("go", OtherLane, "\"by key\"");
        var refused = await Record.ExceptionAsync(() => byId) is InstanceFinishedException;
        await engine.IdleAsync();

        var answers = new[] { await StateAsync(gone), await StateAsync(next) };
        Assert.True(
            answers is [("\"by id\"", InstanceState.Completed), ("\"by key\"", InstanceState.Completed)]
            || await OneIsReportedAsync(answers),
            string.Join(" ", answers));

        async Task<(string?, InstanceState)> StateAsync(InstanceStarted started)
        {
            var view = await engine.ViewAsync(started.Id);
            return (view.Output?.GetRawText(), view.State);
        }

        // The key's signal came first: the one by id found the instance finished, or its inbox when it finished.
        async Task<bool> OneIsReportedAsync((string?, InstanceState)[] seen)
        {
            Assert.Equal(("\"by key\"", InstanceState.Completed), seen[0]);
            Assert.Equal((null, InstanceState.Waiting), seen[1]);
            return refused
                || (await engine.Events.WaitAsync<SignalExpired>(1, e => e.InstanceId == gone.Id, Cancel)).Count == 1;
        }
    }

    [Fact]
    public async Task Timeouts_and_signals_between_lanes_have_one_effect()
    {
        const int Pairs = 150;
        var time = new ManualTime();
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 2, MaxBatchCommands = 16 }, time);
        await engine.RegisterAsync(Definitions.WaitAMinute);
        await Task.WhenAll(
            Enumerable.Range(0, Pairs)
                .Select(_ => engine.StartAsync("waitAMinute", $$"""{ "id": "{{OtherLane}}" }""", key: Home)));
        await engine.IdleAsync();

        var signals = Task.WhenAll(Enumerable.Range(0, Pairs).Select(i => engine.SignalAsync("go", OtherLane, $"{i}")));
        time.Advance(TimeSpan.FromMinutes(1));
        await signals;
        var ended = await engine.Events.WaitAsync<InstanceCompleted>(Pairs, _ => true, Cancel);
        await engine.IdleAsync();

        var answers = ended.Select(e => e.Output!.Value.GetRawText()).Where(o => o != "\"late\"").ToArray();
        Assert.Equal(Pairs, ended.Count);
        Assert.Equal(answers.Length, answers.Distinct().Count());
        Assert.Equal(Pairs, answers.Length + engine.Engine.Statistics.BufferedSignals);

        // Signals that were not taken are still there, each once.
        var more = await Task.WhenAll(Enumerable.Range(answers.Length, Pairs - answers.Length)
            .Select(_ => engine.StartAsync("waitAMinute", $$"""{ "id": "{{OtherLane}}" }""", key: OtherLane)));
        var rest = new List<string>();
        foreach (var started in more)
        {
            rest.Add(await engine.OutputAsync(started.Id));
        }

        Assert.Equal(Enumerable.Range(0, Pairs), answers.Concat(rest).Select(int.Parse).Order());
    }
}
