namespace IntegrationTests.Shared.Conformance;

/// <summary>One engine at a time, on stores that cannot be shared.</summary>
public abstract class SoleOwnerConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Second_engine_on_a_store_is_refused_with_the_holder()
    {
        var first = await EngineAsync().WithAsync(Definitions.WaitById);
        var started = await first.StartAsync("waitById");

        var error = await Assert.ThrowsAsync<EngineAlreadyRunningException>(() => EngineAsync(2));
        Assert.NotNull(Stores.HolderInWords);
        Assert.Contains(Stores.HolderInWords, error.Message, StringComparison.Ordinal);

        // The first one continues undisturbed.
        await first.StartAsync("waitById");
        await first.DisposeAsync();
        var second = await EngineAsync();
        await second.SignalAsync("go", started.Id, "1");
        Assert.Equal("1", await second.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Engine_whose_lane_was_taken_over_acknowledges_nothing()
    {
        var store = Open();
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store).WithAsync(Definitions.WaitForGo);
        await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await using var usurper = await store.OpenLaneAsync(new(0, 1), Cancel);
        await usurper.LoadAsync(Cancel);

        var outcomes = await Task.WhenAll(
            Enumerable.Range(0, 20)
                .Select(i => Record.ExceptionAsync(() => engine.SignalAsync("go", "a", $"{i}")).AsTask()));

        Assert.All(outcomes, e => Assert.IsType<EngineStoppedException>(e));
        await Assert.ThrowsAsync<EngineStoppedException>(() => engine.StartAsync("waitForGo"));
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.Signals);
    }
}
