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

    [Fact]
    public async Task Instances_are_found_by_prefix()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.WaitById, Definitions.Empty);
        var waiting = (await engine.StartAsync("waitById", key: "order-1")).Id;
        var done = (await engine.StartAsync("empty", key: "order-10")).Id;
        var special = (await engine.StartAsync("empty", key: "a.*%_b")).Id;
        var other = (await engine.StartAsync("empty")).Id;

        Assert.Equal([waiting], await FindAsync(new() { DefinitionPrefix = "wait" }));
        Assert.Equal([waiting, done], await FindAsync(new() { CorrelationKeyPrefix = "order-" }));
        Assert.Equal([done], await FindAsync(new() { CorrelationKeyPrefix = "order-1", Definition = "empty" }));
        Assert.Equal([done], await FindAsync(new() { CorrelationKeyPrefix = "order-10" }));
        Assert.Equal([special], await FindAsync(new() { CorrelationKeyPrefix = "a.*%" }));
        Assert.Empty(await FindAsync(new() { CorrelationKeyPrefix = "a%" }));
        Assert.Empty(await FindAsync(new() { CorrelationKeyPrefix = "Order" }));
        Assert.Equal([other], await FindAsync(new() { IdPrefix = other.ToString() }));
        Assert.Contains(other, await FindAsync(new() { IdPrefix = other.ToString()[..9] }));
        Assert.Empty(await FindAsync(new() { IdPrefix = "f" }));

        async Task<IReadOnlyList<Guid>> FindAsync(InstanceQuery query) =>
            [.. (await engine.Engine.ListInstancesAsync(query, Cancel)).Items.Select(i => i.Id).OrderBy(PlaceOf)];

        int PlaceOf(Guid id) => Array.IndexOf([waiting, done, special, other], id);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Search_looks_at_a_limited_number_of_instances_a_page(bool newestFirst)
    {
        var time = new ManualTime();
        var engine = await EngineAsync(2, time).WithAsync(Definitions.WaitById, Definitions.Empty);
        var started = new List<Guid>();
        for (var second = 0; second < 9; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            var key = second is 0 or 4 or 8 ? $"wanted-{second}" : "other";
            started.Add((await engine.StartAsync(second % 2 == 0 ? "waitById" : "empty", key: key)).Id);
        }

        var query = new InstanceQuery
        {
            CorrelationKeyPrefix = "wanted", NewestFirst = newestFirst, MostExamined = 3,
        };
        var found = new List<Guid>();
        var pages = 0;
        Guid? next = null;
        do
        {
            var page = await engine.Engine.ListInstancesAsync(
                newestFirst ? query with { Before = next } : query with { After = next }, Cancel);
            Assert.InRange(page.Items.Count, 0, 1);
            found.AddRange(page.Items.Select(i => i.Id));
            next = page.Next;
            pages++;
        }
        while (next is not null);

        // The fourth page finds nothing more.
        Assert.Equal(4, pages);
        Guid[] wanted = [started[0], started[4], started[8]];
        Assert.Equal(newestFirst ? wanted.Reverse() : wanted, found);
        Assert.Equal(new(1, 3, newestFirst ? started[6] : started[2]), await CountAsync(query, 3));
        Assert.Equal(new(3, 9, null), await CountAsync(query, 10));
        Assert.Equal(
            new(1, 1, null), await CountAsync(query with { After = started[7], CorrelationKey = "wanted-8" }, 10));
        var waiting = await CountAsync(new() { State = InstanceState.Waiting }, 10);
        Assert.Equal((5, null), (waiting.Matching, waiting.Last));
        var completed = await CountAsync(new() { State = InstanceState.Completed, Definition = "empty" }, 10);
        Assert.Equal((4, null), (completed.Matching, completed.Last));

        Task<ListCount> CountAsync(InstanceQuery counted, int most) =>
            engine.Engine.CountInstancesAsync(counted, most, Cancel);
    }

    [Fact]
    public async Task Newest_tasks_come_first_page_by_page_and_are_counted()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(2, time).WithAsync(
            """
            { "name": "ask", "version": 1, "start": "ask", "steps": {
              "ask": { "type": "task", "groups": [ "= group" ], "result": "t", "next": "done" },
              "done": { "type": "end" } } }
            """);
        for (var second = 0; second < 5; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            await engine.StartAsync("ask", $$"""{ "group": "{{(second % 2 == 0 ? "even" : "odd")}}" }""");
        }

        var all = (await engine.Engine.ListTasksAsync(new(), Cancel)).Items.Select(t => t.Id).ToList();
        await engine.Engine.AssignTaskAsync(all[0], "ann", Cancel);
        await engine.Engine.CompleteTaskAsync(new() { TaskId = all[4], Output = Value.Null }, Cancel);
        var query = new TaskQuery { State = TaskState.Open, NewestFirst = true, Limit = 3 };
        var first = await engine.Engine.ListTasksAsync(query, Cancel);
        var rest = await engine.Engine.ListTasksAsync(query with { Before = first.Next }, Cancel);

        Assert.Equal([all[3], all[2], all[1]], first.Items.Select(t => t.Id));
        Assert.Equal([all[0]], rest.Items.Select(t => t.Id));
        Assert.Null(rest.Next);
        Assert.Equal((4, null), await CountAsync(query, 10));
        Assert.Equal((3, all[1]), await CountAsync(query, 3));
        Assert.Equal((1, null), await CountAsync(query with { Assignee = "ann" }, 10));
        Assert.Equal((2, null), await CountAsync(query with { Group = "odd" }, 10));
        Assert.Equal((3, null), await CountAsync(new() { Group = "even" }, 10));
        var even = await engine.Engine.ListTasksAsync(
            query with { Group = "even", MostExamined = 2 }, Cancel);
        Assert.Equal([all[2]], even.Items.Select(t => t.Id));
        Assert.Equal(all[2], even.Next);

        async Task<(int Matching, Guid? Last)> CountAsync(TaskQuery counted, int most)
        {
            var count = await engine.Engine.CountTasksAsync(counted, most, Cancel);
            return (count.Matching, count.Last);
        }
    }

    [Theory]
    [InlineData("x"), InlineData("01890a5dac"), InlineData("01890a5d-ac96-774b-bcce-b302099a8057-")]
    public async Task Prefix_of_no_id_is_refused_by_name(string prefix)
    {
        var engine = await EngineAsync();

        var error = await Assert.ThrowsAsync<InvalidCommandException>(() =>
            engine.Engine.ListInstancesAsync(new() { IdPrefix = prefix }, Cancel));

        Assert.Contains(prefix, error.Message, StringComparison.Ordinal);
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
