using Workflow.Abstractions.Exceptions;
using Xunit;

namespace IntegrationTests.Shared.Conformance;

/// <summary>One engine at a time, on stores that cannot be shared.</summary>
public abstract class SoleOwnerConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Second_engine_on_the_store_is_refused_with_the_holder_and_admitted_after_it_has_gone()
    {
        var first = await EngineAsync();
        await first.RegisterAsync(Definitions.WaitById);
        var started = await first.StartAsync("waitById");

        var error = await Assert.ThrowsAsync<EngineAlreadyRunningException>(() => EngineAsync(2));
        Assert.NotNull(Stores.HolderInWords);
        Assert.Contains(Stores.HolderInWords, error.Message, StringComparison.Ordinal);

        // The first one goes on as if nothing had been.
        await first.StartAsync("waitById");
        await first.DisposeAsync();
        var second = await EngineAsync();
        await second.SignalAsync("go", started.Id, "1");
        Assert.Equal("1", await second.OutputAsync(started.Id));
    }
}
