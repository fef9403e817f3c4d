namespace IntegrationTests.Shared.Conformance;

/// <summary>Delays and timeouts, on a clock that the test moves.</summary>
public abstract class TimerConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Pause =
        """
        { "name": "pause", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT2S", "next": "done" },
          "done": { "type": "end", "output": "woke" } } }
        """;

    private const string Until =
        """
        { "name": "until", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "until": "= at", "next": "done" }, "done": { "type": "end", "output": "woke" } } }
        """;

    private readonly ManualTime _time = new();

    [Fact]
    public async Task Delay_ends_when_it_is_due_and_not_before()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Pause);
        var started = await engine.StartAsync("pause");
        var wait = Assert.Single((await engine.ViewAsync(started.Id)).Waits);
        Assert.Equal(
            ("pause", "delay", _time.GetUtcNow() + TimeSpan.FromSeconds(2)), (wait.Step, wait.Kind, wait.DueAt));

        _time.Advance(TimeSpan.FromSeconds(1.9));
        await engine.SettleAsync();
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(started.Id)).State);
        _time.Advance(TimeSpan.FromSeconds(0.1));

        Assert.Equal("\"woke\"", await engine.OutputAsync(started.Id));
        Assert.Equal(
            ["started pause", "waiting pause", "resumed pause", "completed"], await engine.HistoryAsync(started.Id));
    }

    [Theory]
    [InlineData("2030-01-31T12:00:00.123456789Z")]
    [InlineData("= at")]
    [InlineData("= \"2030-01-31T13:00:00.12345678+01:00\"")]
    public async Task Instant_with_more_decimals_than_are_kept_is_read(string until)
    {
        var engine = await EngineAsync(1, _time).WithAsync(
            Until.Replace("\"= at\"", System.Text.Json.JsonSerializer.Serialize(until), StringComparison.Ordinal));

        var started = await engine.StartAsync("until", """{ "at": "2030-01-31T12:00:00.1234567890123Z" }""");

        var due = Assert.Single((await engine.ViewAsync(started.Id)).Waits).DueAt!.Value;
        Assert.InRange(
            due,
            new DateTimeOffset(2030, 1, 31, 12, 0, 0, 123, 456, TimeSpan.Zero),
            new(2030, 1, 31, 12, 0, 0, 123, 457, TimeSpan.Zero));
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public async Task Timers_that_are_always_due_starve_no_caller(int lanes)
    {
        var engine = await EngineAsync(lanes).WithAsync(Definitions.WaitForGo,
            """
            { "name": "loop", "version": 1, "start": "pause", "steps": {
              "pause": { "type": "delay", "duration": "PT0S", "next": "pause" } } }
            """);
        await Task.WhenAll(Enumerable.Range(0, 600).Select(_ => engine.StartAsync("loop")))
            .WaitAsync(Eventually.Deadline, Cancel);
        for (var i = 0; i < 20; i++)
        {
            await engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""").WaitAsync(Eventually.Deadline, Cancel);
            await engine.SignalAsync("go", $"{i}").WaitAsync(Eventually.Deadline, Cancel);
        }

        // With two lanes the last signals may still be on their way.
        await engine.Events.WaitAsync<InstanceCompleted>(20, _ => true, Cancel);
        Assert.Equal((20, 0), (engine.Engine.Statistics.Completed, engine.Engine.Statistics.FailedFlushes));
        await engine.DisposeAsync().AsTask().WaitAsync(Eventually.Deadline, Cancel);
    }

    [Fact]
    public async Task Delay_due_while_its_alarm_is_set_ends()
    {
        Assert.SkipWhen(Stores.Residency is not null, "Counts alarms; dormant instances add some.");
        var hour = TimeSpan.FromHours(1); // The longest pause of a lane: it looks at the clock again after that.
        var alarms = 0;
        _time.Setting = pause => _time.Advance(
            pause == hour && Interlocked.Increment(ref alarms) == 2 ? hour : TimeSpan.Zero);
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Residency = new() { IdleTime = TimeSpan.FromDays(1) } }, _time).WithAsync(Until);
        var started = await engine.StartAsync("until", $$"""{ "at": "{{_time.GetUtcNow() + (2 * hour):O}}" }""");

        _time.Advance(hour);

        Assert.Equal("\"woke\"", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Delay_until_a_past_instant_ends_at_once()
    {
        var engine = await EngineAsync().WithAsync(Until);

        var started = await engine.StartAsync("until", """{ "at": "2020-02-29T12:00:00Z" }""");

        Assert.Equal("\"woke\"", await engine.OutputAsync(started.Id));
    }

    /// <summary>An order that countries differ in, or a time of whichever day the machine has.</summary>
    [Fact]
    public async Task Delay_until_an_invalid_instant_fails_with_the_value()
    {
        var engine = await EngineAsync().WithAsync(Until);
        foreach (var at in new[] { "tomorrow", "03/04/2026", "12:00" })
        {
            var started = await engine.StartAsync("until", $$"""{ "at": "{{at}}" }""");

            var error = (await engine.ViewAsync(started.Id)).Error!;
            Assert.Equal(("pause", "= at"), (error.Step, error.Expression));
            AssertHolds(error.Message, $"\"{at}\"", "ISO 8601");
        }
    }

    [Fact]
    public async Task Invalid_computed_delay_fails_the_instance()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "delay", "version": 1, "start": "pause", "steps": {
              "pause": { "type": "delay", "duration": "= d", "next": "done" }, "done": { "type": "end" } } }
            """);

        foreach (var duration in new[] { "\"-PT2S\"", "null", "\"PT9999999999H\"" })
        {
            var started = await engine.StartAsync("delay", $$"""{ "d": {{duration}} }""");

            Assert.Equal(InstanceState.Failed, started.State);
            Assert.Contains(duration, (await engine.ViewAsync(started.Id)).Error!.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Delay_continues_after_a_restart(bool dueMeanwhile)
    {
        var first = await EngineAsync(1, _time).WithAsync(Pause);
        var started = await first.StartAsync("pause");
        await first.DisposeAsync();

        _time.Advance(TimeSpan.FromSeconds(dueMeanwhile ? 5 : 1));
        var second = await EngineAsync(2, _time);
        if (!dueMeanwhile)
        {
            await second.SettleAsync();
            Assert.Equal(InstanceState.Waiting, (await second.ViewAsync(started.Id)).State);
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("\"woke\"", await second.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Wait_times_out_also_after_a_restart_and_takes_no_signal_then(bool restart)
    {
        var engine = await EngineAsync(2, _time).WithAsync(Definitions.WaitAMinute);
        var started = await engine.StartAsync("waitAMinute", """{ "id": "a" }""");
        if (restart)
        {
            await engine.IdleAsync();
            await engine.DisposeAsync();
            engine = await EngineAsync(2, _time);
        }

        await engine.IdleAsync();
        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.Equal("\"late\"", await engine.OutputAsync(started.Id));
        Assert.Equal(
            ["started wait", "waiting wait", "timedOut wait", "completed"], await engine.HistoryAsync(started.Id));
        await engine.IdleAsync();
        Assert.False((await engine.SignalAsync("go", "a")).Delivered);
    }

    [Fact]
    public async Task Signal_before_the_timeout_cancels_the_timer()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Definitions.WaitAMinute);
        var started = await engine.StartAsync("waitAMinute", """{ "id": "a" }""", key: "a");
        _time.Advance(TimeSpan.FromSeconds(59));
        await engine.SignalAsync("go", "a", "1");
        Assert.Equal("1", await engine.OutputAsync(started.Id));
        var history = await engine.HistoryAsync(started.Id);

        _time.Advance(TimeSpan.FromMinutes(5));
        await engine.SettleAsync();

        // Not the number of flushes, because minutes later the lease may need a renewal.
        Assert.Equal(history, await engine.HistoryAsync(started.Id));
        Assert.DoesNotContain(history, line => line.StartsWith("timedOut", StringComparison.Ordinal));
        Assert.Equal(1, engine.Engine.Statistics.Completed);
    }

    [Fact]
    public async Task Timers_of_many_instances_fire_in_shared_commits()
    {
        var engine = await EngineAsync(1, _time).WithAsync(Pause);
        await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => engine.StartAsync("pause")));
        var before = engine.Engine.Statistics.Flushes;

        _time.Advance(TimeSpan.FromSeconds(2));
        await engine.Events.WaitAsync<InstanceCompleted>(200, _ => true, Cancel);
        await engine.IdleAsync();

        Assert.InRange(engine.Engine.Statistics.Flushes - before, 1, 20);
        Assert.Equal(200, engine.Engine.Statistics.Completed);
    }
}
