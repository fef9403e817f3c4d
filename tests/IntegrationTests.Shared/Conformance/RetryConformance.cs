using System.Threading.Channels;
using Workflow.Abstractions.Activities;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Attempts of an activity: durable pauses between them, and what follows the last one.</summary>
public abstract class RetryConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private readonly Channel<int> _calls = Channel.CreateUnbounded<int>();
    private int _called;

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Activity_is_retried_after_growing_pauses(bool inline)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(With(Failing(2, inline)), time);
        await engine.RegisterAsync(Retrying("\"maxAttempts\": 4, \"initialInterval\": \"PT10S\", \"backoff\": 3"));
        var started = await engine.StartAsync("retrying", """{ "n": 5 }""");

        await AssertPauseAsync(engine, started.Id, failed: 1, next: time.GetUtcNow() + TimeSpan.FromSeconds(10));
        time.Advance(TimeSpan.FromSeconds(9.999));
        await engine.SettleAsync();
        Assert.Equal(1, _called);

        time.Advance(TimeSpan.FromSeconds(0.001));
        await AssertPauseAsync(engine, started.Id, failed: 2, next: time.GetUtcNow() + TimeSpan.FromSeconds(30));
        time.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal("3", await engine.OutputAsync(started.Id));
        await engine.IdleAsync();
        string[] called = inline ? [] : ["waiting call"];
        Assert.Equal(
            ["started call", .. called, "attemptFailed call", "attemptFailed call", "resumed call", "completed"],
            await engine.HistoryAsync(started.Id));
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Activity_without_attempts_left_takes_its_error_path(bool inline)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(With(Failing(int.MaxValue, inline)), time);
        await engine.RegisterAsync(Retrying("\"maxAttempts\": 2, \"initialInterval\": \"PT1S\""));
        await engine.RegisterAsync(
            Retrying("\"maxAttempts\": 2, \"initialInterval\": \"PT1S\"", "handled", "\"onError\": \"sorry\","));
        var stopped = await engine.StartAsync("retrying");
        var handled = await engine.StartAsync("handled");
        await CallsAsync(2);
        await engine.IdleAsync();

        time.Advance(TimeSpan.FromSeconds(1));

        var failed = await engine.Events.FailedAsync(stopped.Id, Cancel);
        Assert.Matches(
            "^Activity 'work' failed in each of 2 attempts; the last time: attempt [34] is refused$", failed.Error);
        Assert.Equal("call", failed.Step);
        Assert.Equal("\"sorry\"", await engine.OutputAsync(handled.Id));
        await engine.IdleAsync();
        Assert.Equal(4, _called);
        Assert.Contains("activityFailed call", await engine.HistoryAsync(handled.Id));
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Failure_that_is_final_is_not_repeated(bool inline)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(
            With(TestActivities.Of("work", (_, _) => Interlocked.Increment(ref _called) == 1
                ? throw new TimeoutException("too slow")
                : throw new NonRetryableActivityException("no such account"), inline)),
            time).WithAsync(Retrying("\"maxAttempts\": 9, \"initialInterval\": \"PT1S\""));
        var started = await engine.StartAsync("retrying");
        await UntilPausedAsync(engine, started.Id);

        time.Advance(TimeSpan.FromSeconds(1));

        var failed = await engine.Events.FailedAsync(started.Id, Cancel);
        Assert.Equal("Activity 'work' failed in attempt 2 of 9 and is not called again: no such account", failed.Error);
        Assert.Equal(2, _called);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Pause_and_attempts_outlive_the_engine(bool inline)
    {
        var time = new ManualTime();
        var first = await EngineAsync(With(Failing(int.MaxValue, inline)), time);
        await first.RegisterAsync(Retrying("\"maxAttempts\": 3, \"initialInterval\": \"PT1H\", \"backoff\": 1"));
        var started = await first.StartAsync("retrying");
        await UntilPausedAsync(first, started.Id);
        await first.DisposeAsync();

        time.Advance(TimeSpan.FromMinutes(59));
        var second = await EngineAsync(With(Failing(int.MaxValue, inline)), time);
        await second.SettleAsync();
        Assert.Equal(1, _called);
        time.Advance(TimeSpan.FromMinutes(1));
        await AssertPauseAsync(second, started.Id, failed: 2, next: time.GetUtcNow() + TimeSpan.FromHours(1), calls: 2);
        await second.DisposeAsync();

        time.Advance(TimeSpan.FromHours(2));
        var third = await EngineAsync(With(Failing(int.MaxValue, inline)), time);
        Assert.Contains("in each of 3 attempts", (await third.Events.FailedAsync(started.Id, Cancel)).Error,
            StringComparison.Ordinal);
        Assert.Equal(3, _called);
    }

    [Fact]
    public async Task Wait_shows_the_last_error_while_the_next_attempt_runs()
    {
        var time = new ManualTime();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var called = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var engine = await EngineAsync(
            With(TestActivities.Of("work", async (_, _) =>
            {
                if (Interlocked.Increment(ref _called) == 1)
                {
                    throw new NotSupportedException("no stock");
                }

                called.SetResult();
                await gate.Task;
                return Value.Null;
            })),
            time).WithAsync(Retrying("\"maxAttempts\": 2, \"initialInterval\": \"PT1S\""));
        var started = await engine.StartAsync("retrying");
        await UntilPausedAsync(engine, started.Id);
        time.Advance(TimeSpan.FromSeconds(1));
        await called.Task.WaitAsync(Cancel);

        var wait = Assert.Single((await engine.ViewAsync(started.Id)).Waits);
        Assert.Equal((null, new WaitError("no stock", 1)), (wait.NextAttemptAt, wait.LastError));

        gate.SetResult();
        await engine.OutputAsync(started.Id);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Wait_that_ended_with_an_error_while_suspended_shows_it(bool restart)
    {
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var options = With(TestActivities.Of("work", async (_, _) =>
        {
            await gate.Task;
            throw new NonRetryableActivityException("no stock") { Code = "NO_STOCK" };
        }));
        var engine = await EngineAsync(options).WithAsync(Retrying("\"maxAttempts\": 2"));
        var started = await engine.StartAsync("retrying");
        await engine.SuspendAsync(started.Id);
        gate.SetResult();
        await engine.IdleAsync();
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(options);
        }

        var wait = Assert.Single((await engine.ViewAsync(started.Id)).Waits);
        Assert.True(wait.Ended);
        Assert.Equal((1, "NO_STOCK"), (wait.LastError?.Attempt, wait.LastError?.Code));
        Assert.Contains("no stock", wait.LastError?.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Timeout_holds_for_all_attempts_together()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(With(Failing(int.MaxValue)), time);
        await engine.RegisterAsync(Retrying("\"maxAttempts\": 9, \"initialInterval\": \"PT40S\", \"backoff\": 1",
            extra: "\"timeout\": \"PT1M\", \"onTimeout\": \"sorry\","));
        var started = await engine.StartAsync("retrying");
        await UntilPausedAsync(engine, started.Id);

        time.Advance(TimeSpan.FromSeconds(40));
        await CallsAsync(2);
        await engine.IdleAsync();
        time.Advance(TimeSpan.FromSeconds(20));

        Assert.Equal("\"sorry\"", await engine.OutputAsync(started.Id));
        time.Advance(TimeSpan.FromHours(1));
        await engine.SettleAsync();
        Assert.Equal(2, _called);
        Assert.Contains("timedOut call", await engine.HistoryAsync(started.Id));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Attempts_are_counted_once_whichever_flush_fails(bool afterCommit)
    {
        for (var fail = 1; fail <= 6; fail++)
        {
            var store = new FaultyStore(Open());
            var engine = await EngineAsync(With(Failing(int.MaxValue)), store: store);
            var name = $"retrying{fail}{afterCommit}";
            await engine.RegisterAsync(Retrying("\"maxAttempts\": 3, \"initialInterval\": \"PT0S\"", name));
            store.Plan(n => n == fail ? new(FlushFailure.Unavailable, afterCommit) : null);

            var started = await engine.StartAsync(name);

            Assert.Contains("in each of 3 attempts", (await engine.Events.FailedAsync(started.Id, Cancel)).Error,
                StringComparison.Ordinal);
            await engine.IdleAsync();
            Assert.Equal(2, (await engine.HistoryAsync(started.Id)).Count(l => l == "attemptFailed call"));
            await engine.DisposeAsync();
        }
    }

    [Fact]
    public async Task Retry_of_an_activity_that_is_gone_fails_its_step()
    {
        var time = new ManualTime();
        var first = await EngineAsync(With(Failing(int.MaxValue)), time);
        await first.RegisterAsync(Retrying("\"maxAttempts\": 3, \"initialInterval\": \"PT1S\""));
        var started = await first.StartAsync("retrying");
        await UntilPausedAsync(first, started.Id);
        await first.DisposeAsync();

        var second = await EngineAsync(With(), time);
        time.Advance(TimeSpan.FromSeconds(1));

        Assert.Contains(
            "not registered", (await second.Events.FailedAsync(started.Id, Cancel)).Error, StringComparison.Ordinal);
    }

    private static WorkflowEngineOptions With(params Activity[] activities) =>
        new() { Lanes = 1, Activities = activities };

    private static string Retrying(string policy, string name = "retrying", string extra = "") =>
        $$"""
        { "name": "{{name}}", "version": 1, "start": "call", "steps": {
          "call": { "type": "invoke", "activity": "work", "result": "r", "retry": { {{policy}} }, {{extra}} "next": "done" },
          {{(extra.Length == 0 ? "" : "\"sorry\": { \"type\": \"end\", \"output\": \"sorry\" },")}}
          "done": { "type": "end", "output": "= r" } } }
        """;

    /// <summary>Fails so often, then returns the number of the call.</summary>
    private Activity Failing(int failures, bool inline = false) => TestActivities.Of(
        "work",
        (_, _) =>
        {
            var call = Interlocked.Increment(ref _called);
            _calls.Writer.TryWrite(call);
            return call > failures
                ? new(Value.From(call)) : throw new InvalidOperationException($"attempt {call} is refused");
        },
        inline);

    /// <summary>Waits until that many calls were begun in all.</summary>
    private async Task CallsAsync(int count)
    {
        while (await _calls.Reader.ReadAsync(Cancel) < count)
        {
        }
    }

    private static async Task UntilPausedAsync(EngineSession engine, Guid id)
    {
        await engine.IdleAsync();
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(id)).State);
    }

    private async Task AssertPauseAsync(
        EngineSession engine, Guid id, int failed, DateTimeOffset next, int? calls = null)
    {
        await CallsAsync(calls ?? failed);
        await engine.IdleAsync();
        var view = await engine.ViewAsync(id);
        var wait = Assert.Single(view.Waits);
        Assert.Equal((InstanceState.Waiting, "activity", "work", failed, next),
            (view.State, wait.Kind, wait.Name, wait.FailedAttempts ?? 0, wait.NextAttemptAt ?? default));
        Assert.Equal(new WaitError($"attempt {calls ?? failed} is refused", failed), wait.LastError);
    }
}
