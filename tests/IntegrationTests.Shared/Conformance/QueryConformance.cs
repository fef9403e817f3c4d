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
        Assert.Equal(Ids(waiting),
            await FindAsync(new() { CorrelationKey = "a", Definition = "waitById", State = InstanceState.Waiting }));
        Assert.Empty(await FindAsync(new() { Definition = "nobody" }));
        Assert.Equal(Ids(waiting, other, done), await FindAsync(new()));

        async Task<IReadOnlyList<Guid>> FindAsync(
            InstanceQuery query) =>
                [.. (await engine.Engine.ListInstancesAsync(query, Cancel)).Items.Select(i => i.Id).OrderBy(Text)];

        static IReadOnlyList<Guid> Ids(params InstanceStarted[] started) =>
            [.. started.Select(s => s.Id).OrderBy(Text)];
    }

    [Fact]
    public async Task Pages_hold_everything_once_in_order_of_id()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitById, Definitions.Empty);
        var started = await Task.WhenAll(
            Enumerable.Range(0, 50).Select(i => engine.StartAsync(i % 2 == 0 ? "waitById" : "empty")));

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
    [InlineData(null), InlineData("same")]
    public async Task Newest_instances_come_first_page_by_page(string? key)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(2, time).WithAsync(Definitions.WaitById, Definitions.Empty);
        var started = new List<Guid>();
        for (var second = 0; second < 7; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            started.Insert(0, (await engine.StartAsync(second % 2 == 0 ? "waitById" : "empty", key: "same")).Id);
        }

        var query = new InstanceQuery { NewestFirst = true, CorrelationKey = key, After = started[^1], Limit = 4 };
        var first = await engine.Engine.ListInstancesAsync(query, Cancel);
        var rest = await engine.Engine.ListInstancesAsync(query with { Before = first.Next }, Cancel);

        Assert.Equal(started[..4], first.Items.Select(i => i.Id));
        Assert.Equal(started[4..6], rest.Items.Select(i => i.Id));
        Assert.Null(rest.Next);
    }

    [Fact]
    public async Task Instances_are_found_by_their_start_time()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(2, time).WithAsync(Definitions.WaitById, Definitions.Empty);
        var begin = time.GetUtcNow();
        var started = new List<Guid>();
        for (var second = 0; second < 6; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            started.Add((await engine.StartAsync(second % 2 == 0 ? "waitById" : "empty", key: "same")).Id);
        }

        Assert.Equal(started, await FindAsync(new()));
        Assert.Equal(started[2..], await FindAsync(new() { StartedFrom = At(3) }));
        Assert.Equal(started[..3], await FindAsync(new() { StartedTo = At(4) }));
        Assert.Equal(started[3..], await FindAsync(new() { StartedFrom = At(3).AddMilliseconds(1) }));
        Assert.Equal(
            started[1..4], await FindAsync(new() { StartedFrom = At(2), StartedTo = At(5), CorrelationKey = "same" }));
        Assert.Equal([started[2]],
            await FindAsync(new() { StartedFrom = At(2), StartedTo = At(5), State = InstanceState.Waiting }));
        Assert.Equal(
            [started[3]], await FindAsync(new() { StartedFrom = At(2), StartedTo = At(5), After = started[2] }));
        Assert.Equal(started[4..], await FindAsync(new() { StartedFrom = At(5), After = started[0] }));
        Assert.Empty(await FindAsync(new() { StartedFrom = At(7) }));
        Assert.Empty(await FindAsync(new() { StartedTo = DateTimeOffset.MinValue }));

        var first =
            await engine.Engine.ListInstancesAsync(new() { StartedFrom = At(2), StartedTo = At(6), Limit = 3 }, Cancel);
        var rest = await engine.Engine.ListInstancesAsync(
            new() { StartedFrom = At(2), StartedTo = At(6), Limit = 3, After = first.Next }, Cancel);
        Assert.Equal(started[1..5], [.. first.Items.Concat(rest.Items).Select(i => i.Id)]);
        Assert.Null(rest.Next);

        DateTimeOffset At(int second) => begin.AddSeconds(second);

        async Task<IReadOnlyList<Guid>> FindAsync(InstanceQuery query) =>
            [.. (await engine.Engine.ListInstancesAsync(query, Cancel)).Items.Select(i => i.Id)];
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
