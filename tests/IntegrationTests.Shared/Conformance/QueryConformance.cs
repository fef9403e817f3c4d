using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Listing instances, live and finished.</summary>
public abstract class QueryConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Instances_are_found_by_definition_state_and_correlation_key()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.WaitById, Definitions.Empty);
        var waiting = await engine.StartAsync("waitById", key: "a");
        var other = await engine.StartAsync("waitById", key: "b");
        var done = await engine.StartAsync("empty", key: "a");

        Assert.Equal(Ids(waiting, other), await FindAsync(new() { Definition = "waitById" }));
        Assert.Equal(Ids(done), await FindAsync(new() { State = InstanceState.Completed }));
        Assert.Equal(Ids(waiting, other), await FindAsync(new() { State = InstanceState.Waiting }));
        Assert.Equal(Ids(waiting, done), await FindAsync(new() { CorrelationKey = "a" }));
        Assert.Equal(Ids(waiting), await FindAsync(new() { CorrelationKey = "a", Definition = "waitById", State = InstanceState.Waiting }));
        Assert.Empty(await FindAsync(new() { Definition = "nobody" }));
        Assert.Equal(Ids(waiting, other, done), await FindAsync(new()));

        async Task<IReadOnlyList<Guid>> FindAsync(
            InstanceQuery query) => [.. (await engine.Engine.ListInstancesAsync(query, Cancel)).Items.Select(i => i.Id).OrderBy(Text)];

        static IReadOnlyList<Guid> Ids(params InstanceStarted[] started) => [.. started.Select(s => s.Id).OrderBy(Text)];
    }

    [Fact]
    public async Task Pages_follow_each_other_in_order_of_id_and_hold_everything_once()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitById, Definitions.Empty);
        var started = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => engine.StartAsync(i % 2 == 0 ? "waitById" : "empty")));

        var seen = new List<Guid>();
        Guid? after = null;
        do
        {
            var page = await engine.Engine.ListInstancesAsync(new() { After = after, Limit = 7 }, Cancel);
            Assert.InRange(page.Items.Count, 0, 7);
            seen.AddRange(page.Items.Select(i => i.Id));
            after = page.Next;
        }
        while (after is not null);

        Assert.Equal(started.Select(s => s.Id).OrderBy(Text), seen);
    }

    [Theory]
    [InlineData(0), InlineData(1_001)]
    public async Task Limit_out_of_range_is_refused(int limit)
    {
        var engine = await EngineAsync();

        var error = await Assert.ThrowsAsync<InvalidCommandException>(() =>
            engine.Engine.ListInstancesAsync(new() { Limit = limit }, Cancel));

        Assert.Contains($"{limit}", error.Message, StringComparison.Ordinal);
    }

    // The text of an id sorts as its big-endian bytes do.
    private static string Text(Guid id) => id.ToString();
}
