using Workflow.Engine.Configuration;

namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// A lane works while the instances are still read that it had in memory before.
/// </summary>
public abstract class RecoveryConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const int Count = 20;

    /// <summary>The partitions of a page, which no command of these tests needs by itself.</summary>
    private const int PageSize = 4;

    private const int Pages = 16;

    private const string CallEcho =
        """
        { "name": "callEcho", "version": 1, "start": "call", "steps": {
          "call": { "type": "invoke", "activity": "slow", "input": "= id", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;

    private readonly TaskCompletionSource _read = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Command_reads_the_partition_that_it_needs_first(int lanes)
    {
        var ids = await WaitingAsync(lanes);
        var after = await RecoveringAsync(lanes);

        Assert.Equal((Count, 0), (after.Engine.Statistics.LiveInstances, after.Engine.Statistics.ResidentInstances));
        Assert.True((await after.SignalAsync("go", "0", "7")).Delivered);
        await after.SuspendAsync(ids[1]);
        await after.Engine.CancelAsync(ids[2], Cancel);
        var started = await after.StartAsync("waitForGo", """{ "id": "new" }""", "new");
        Assert.Equal("7", await after.OutputAsync(ids[0]));
        Assert.Equal(Count - 1, after.Engine.Statistics.LiveInstances);
        Assert.False(after.Engine.WaitForIdleAsync(Cancel).IsCompleted);

        // What was read before those commands is not taken over.
        _read.SetResult();
        await after.IdleAsync();
        Assert.Equal(
            (Count - 1, Count - 1),
            (after.Engine.Statistics.LiveInstances, after.Engine.Statistics.ResidentInstances));
        await Assert.ThrowsAsync<InstanceFinishedException>(() => after.SignalAsync("go", ids[0], "8"));
        await after.ResumeAsync(ids[1]);
        await after.SignalAsync("go", "new", "9");
        Assert.Equal("9", await after.OutputAsync(started.Id));
        await Task.WhenAll(Enumerable.Range(3, Count - 3).Append(1).Select(i => after.SignalAsync("go", $"{i}", "1")));
        await after.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await after.IdleAsync();
        Assert.Equal(
            (0, 0, Count, 1),
            (after.Engine.Statistics.LiveInstances, after.Engine.Statistics.BufferedSignals,
                after.Engine.Statistics.Completed, after.Engine.Statistics.Cancelled));
    }

    [Fact]
    public async Task Older_waiter_that_is_not_read_yet_goes_before_a_younger_one()
    {
        var before = await EngineAsync(new WorkflowEngineOptions()).WithAsync(Definitions.WaitForGo);
        var older = await before.StartAsync("waitForGo", """{ "id": "k" }""", "k");
        await before.DisposeAsync();
        var after = await RecoveringAsync(lanes: 1);
        var younger = await after.StartAsync("waitForGo", """{ "id": "k" }""", "elsewhere");

        await after.SignalAsync("go", "k", "1");
        await after.SignalAsync("go", "k", "2");

        Assert.Equal(("1", "2"), (await after.OutputAsync(older.Id), await after.OutputAsync(younger.Id)));
        _read.SetResult();
    }

    [Fact]
    public async Task Due_timers_fire_once_and_after_the_recovery()
    {
        var time = new ManualTime();
        var before = await EngineAsync(new WorkflowEngineOptions(), time);
        await before.RegisterAsync(Definitions.WaitAMinute);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            before.StartAsync("waitAMinute", $$"""{ "id": "{{i}}" }""", $"{i}")));
        await before.DisposeAsync();
        time.Advance(TimeSpan.FromHours(1));
        var after = await RecoveringAsync(lanes: 1, time);

        // One partition is read, and its timer waits for those of the others.
        await after.StartAsync("waitAMinute", """{ "id": "0" }""", "0");
        Assert.Equal(0, after.Engine.Statistics.Completed);
        _read.SetResult();

        await after.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await after.SettleAsync();
        Assert.Equal(Count, after.Events.Of<InstanceCompleted>().Count);
        Assert.Equal(1, after.Engine.Statistics.LiveInstances);
    }

    [Fact]
    public async Task Read_that_fails_is_repeated()
    {
        var ids = await WaitingAsync(lanes: 1);
        var reads = 0;
        var store = new FaultyStore(Open())
        {
            AfterInstances = partitions => ++reads < 4
                ? throw new StoreUnavailableException("The connection is cut.", outcomeUnknown: false)
                : Task.CompletedTask,
        };
        var after = await EngineAsync(new WorkflowEngineOptions(), store: store);

        await after.IdleAsync();

        Assert.Equal((3 + Pages, Count), (reads, after.Engine.Statistics.ResidentInstances));
        Assert.True((await after.SignalAsync("go", ids[5], "1")).Delivered);
    }

    /// <summary>After a reload, an activity that was called before may return before its instance is read.</summary>
    [Fact]
    public async Task Activity_that_runs_across_a_reload_is_called_once()
    {
        var (calls, answer) = (0, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        var slow = TestActivities.Of("slow", async (input, _) =>
        {
            Interlocked.Increment(ref calls);
            await answer.Task;
            return input;
        });
        var isHeld = false;
        var store = new FaultyStore(Open())
        {
            AfterInstances = partitions => partitions.Count == PageSize && isHeld ? _read.Task : Task.CompletedTask,
        };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Activities = [slow] }, store: store)
            .WithAsync(CallEcho, Definitions.Empty);
        var started = await engine.StartAsync("callEcho", """{ "id": "k" }""", "k");
        await Eventually.HoldsAsync(() => Volatile.Read(ref calls) == 1, "the activity is called");
        isHeld = true;
        store.FailNext(new(FlushFailure.Unavailable, AfterCommit: false));
        await engine.StartAsync("empty");
        Assert.Equal(1, engine.Engine.Statistics.LaneReloads);

        answer.SetResult();

        Assert.Equal("\"k\"", await engine.OutputAsync(started.Id));
        _read.SetResult();
        await engine.IdleAsync();
        Assert.Equal((1, 0), (calls, engine.Engine.Statistics.LiveInstances));
    }

    private async Task<Guid[]> WaitingAsync(int lanes)
    {
        var before = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes }).WithAsync(Definitions.WaitForGo);
        var started = await Task.WhenAll(Enumerable.Range(0, Count).Select(i =>
            before.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""", $"{i}")));
        await before.DisposeAsync();
        return [.. started.Select(s => s.Id)];
    }

    /// <summary>Lanes whose rows are read and not delivered yet.</summary>
    private Task<EngineSession> RecoveringAsync(int lanes, ManualTime? time = null) => EngineAsync(
        new WorkflowEngineOptions { Lanes = lanes }, time,
        new FaultyStore(Open())
        {
            AfterInstances = partitions => partitions.Count == PageSize ? _read.Task : Task.CompletedTask,
        });
}
