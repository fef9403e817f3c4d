namespace IntegrationTests.Shared.Conformance;

/// <summary>Bounded mailboxes, an orderly end, honest counters.</summary>
public abstract class OwnershipConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Stopped_engine_has_committed_what_it_accepted()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitById);
        var starts = Enumerable.Range(0, 100).Select(_ => engine.StartAsync("waitById")).ToArray();

        await engine.Engine.DisposeAsync();
        var accepted = await Task.WhenAll(starts);

        await Assert.ThrowsAsync<EngineStoppedException>(() => engine.StartAsync("waitById"));
        var second = await EngineAsync(2);
        Assert.Equal(100, second.Engine.Statistics.LiveInstances);
        foreach (var started in accepted)
        {
            Assert.Equal(InstanceState.Waiting, (await second.ViewAsync(started.Id)).State);
        }
    }

    [Fact]
    public async Task Commands_beyond_the_capacity_of_a_lane_are_refused()
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, Limits = new() { MaxPendingCommands = 10 } }, store: store);
        await engine.RegisterAsync(Definitions.Empty);
        using var hold = store.HoldFlushes();

        var within = Enumerable.Range(0, 10).Select(_ => engine.StartAsync("empty")).ToArray();
        var error = await Assert.ThrowsAsync<OverloadedException>(() => engine.StartAsync("empty"));

        Assert.Contains("10", error.Message, StringComparison.Ordinal);
        hold.Release();
        Assert.All(await Task.WhenAll(within), s => Assert.Equal(InstanceState.Completed, s.State));
        await engine.StartAsync("empty");
        Assert.Equal(11, engine.Engine.Statistics.Completed);
    }

    [Fact]
    public async Task Commands_too_large_together_are_refused()
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, Limits = new() { MaxPendingSize = 10_000 } }, store: store);
        await engine.RegisterAsync(Definitions.Empty);
        var large = $$"""{ "text": "{{new string('x', 4_000)}}" }""";
        using var hold = store.HoldFlushes();

        var within = Enumerable.Range(0, 2).Select(_ => engine.StartAsync("empty", large)).ToList();
        var error = await Assert.ThrowsAsync<OverloadedException>(() => engine.StartAsync("empty", large));
        within.Add(engine.StartAsync("empty"));

        AssertHolds(error.Message, "its limit is 10000", "MaxPendingSize");
        Assert.InRange(error.RetryAfter, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));
        hold.Release();
        Assert.All(await Task.WhenAll(within), s => Assert.Equal(InstanceState.Completed, s.State));
        Assert.Equal(
            InstanceState.Completed,
            (await engine.StartAsync("empty", $$"""{ "text": "{{new string('x', 20_000)}}" }""")).State);
    }

    [Fact]
    public async Task Statistics_count_commits_and_not_attempts()
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store)
            .WithAsync(Definitions.WaitForGo);
        using (var hold = store.HoldFlushes())
        {
            var start = engine.StartAsync("waitForGo", """{ "id": "a" }""");
            await store.Held.WaitAsync(Eventually.Deadline, Cancel);
            var statistics = engine.Engine.Statistics;
            Assert.Equal((0, 0, 1), (statistics.Started, statistics.Flushes, statistics.PendingCommands));
            hold.Release();
            await start;
        }

        store.FailNext(new(FlushFailure.Unavailable, AfterCommit: false));
        await engine.SignalAsync("go", "a");

        var after = engine.Engine.Statistics;
        Assert.Equal(
            (1, 1, 1, 2, 1), (after.Started, after.Completed, after.Signals, after.Flushes, after.FailedFlushes));
        Assert.Equal(2, after.FlushedCommands);
    }
}
