namespace IntegrationTests.Shared.Conformance;

/// <summary>Rows of every kind, alone and in batches, because a store may write one row differently.</summary>
public abstract class RowConformance<TStores>(TStores stores) : IClassFixture<TStores>
    where TStores : StoreFixture
{
    private const long Suspended = 12;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Instances_are_written_alone_and_in_batches(int count)
    {
        await using var store = (await stores.CreateAsync(Cancel))();
        await using var lane = await OpenAsync(store);
        var ids = Ids(count);

        // Past the commits whose history the instance's own row holds.
        for (var revision = 1L; revision <= Suspended + 1; revision++)
        {
            var rows = ids.Select((id, place) => Row(id, place, revision)).ToList();
            await lane.FlushAsync(
                StoreRows.Batch(revision, batch => batch.Instances.AddRange(rows.Select(Write))), Cancel);

            foreach (var row in rows)
            {
                Assert.Equal(row with { History = "" }, await store.FindInstanceAsync(row.Id, Cancel));
                Assert.Equal(
                    string.Concat(Enumerable.Range(1, (int)revision).Select(n => $"line {n}\n")),
                    await store.FindHistoryAsync(row.Id, Cancel));
            }
        }

        var atOnce = Ids(count).Select(id => StoreRows.Instance(id, 1, InstanceState.Completed)).ToList();
        await lane.FlushAsync(
            StoreRows.Batch(Suspended + 2, batch => batch.Instances.AddRange(atOnce.Select(StoreRows.New))), Cancel);
        foreach (var row in atOnce)
        {
            Assert.Equal(row with { History = "" }, await store.FindInstanceAsync(row.Id, Cancel));
        }

        await lane.LoadAsync(Cancel);
        Assert.Empty(await lane.ReadInstancesAsync(StoreRows.EveryPartition, Cancel));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Other_rows_are_written_alone_and_in_batches(int count)
    {
        await using var store = (await stores.CreateAsync(Cancel))();
        await using var lane = await OpenAsync(store);
        var ids = Ids(count);
        var instance = Guid.CreateVersion7(StoreRows.Now);
        var first = StoreRows.Batch(1, count);
        first.Pending.AddRange(ids.Select((id, place) => StoreRows.Signal(id, place)));
        first.Tasks.AddRange(ids.Select(id => StoreRows.Task(id, instance)));
        first.Children.AddRange(ids.Select(id => new ChildRow(instance, id)));
        first.Keys.AddRange(ids.Select(id => new IdempotencyRow($"start:{id}", "hash", id, StoreRows.Now)));
        first.DeadLetters.AddRange(ids.Select(id => StoreRows.Letter(id, instance)));
        first.Events.AddRange(ids.Select((_, place) => StoreRows.Event(place + 1)));
        await lane.FlushAsync(first, Cancel);

        Assert.Equal(first.Pending, (await lane.LoadAsync(Cancel)).Pending);
        Assert.Equal(ids, (await store.FindChildrenAsync(instance, 10, Cancel)).Order());
        Assert.Equal(
            first.Keys,
            (await lane.FindKeysAsync([.. first.Keys.Select(key => key.Key)], Cancel)).OrderBy(key => key.ResultId));
        Assert.Equal(first.DeadLetters, await store.ListDeadLettersAsync(new(), Cancel));
        Assert.Equal(first.Events.Select(StoreRows.Parts),
            (await store.ReadEventsAsync(0, 0, 10, Cancel)).Select(StoreRows.Parts));

        var second = StoreRows.Batch(2, count);
        second.PendingRemoved.AddRange(ids);
        second.Tasks.AddRange(
            ids.Select(
                (id, place) => new TaskChange(id, TaskState.Completed, $"user {place}", $"{place}", StoreRows.Now)));
        second.DeadLetters.AddRange(
            ids.Select((id, place) => new DeadLetterChange(id, $"reason {place}", place + 2, StoreRows.Now, null)));
        await lane.FlushAsync(second, Cancel);

        Assert.Empty((await lane.LoadAsync(Cancel)).Pending);
        for (var place = 0; place < count; place++)
        {
            var task = (await store.FindTaskAsync(ids[place], Cancel))!;
            Assert.Equal((TaskState.Completed, $"user {place}", $"{place}"), (task.State, task.Assignee, task.Output));
            var letter = (await store.FindDeadLetterAsync(ids[place], Cancel))!;
            Assert.Equal(($"reason {place}", place + 2, null), (letter.Reason, letter.Attempts, letter.ReplayedUtc));
        }
    }

    /// <summary>
    /// Signals and subscriptions have positions too, which are never compared with those of another lane.
    /// </summary>
    [Fact]
    public async Task Lane_is_loaded_with_the_last_message_position()
    {
        await using var store = (await stores.CreateAsync(Cancel))();
        await using var other = await OpenAsync(store);
        await using var lane = await store.OpenLaneAsync(new(1, 2), Cancel);
        Assert.Equal(0, (await lane.LoadAsync(Cancel)).LastMessagePosition);

        var messages = Ids(3)
            .Select((id, place) => StoreRows.Message(id, position: 1_000 - place, partition: (short)place)).ToList();
        var signal = StoreRows.Signal(Ids(1)[0], position: 2_000);
        await other.FlushAsync(StoreRows.Batch(1, batch => batch.Pending.AddRange([.. messages, signal])), Cancel);
        Assert.Equal(1_000, (await lane.LoadAsync(Cancel)).LastMessagePosition);

        await other.FlushAsync(StoreRows.Batch(2, batch => batch.PendingRemoved.Add(messages[0].Id)), Cancel);
        Assert.Equal(999, (await lane.LoadAsync(Cancel)).LastMessagePosition);
    }

    /// <summary>Some of them are added by several at the same instant.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task No_reader_misses_a_definition(int count)
    {
        await using var store = (await stores.CreateAsync(Cancel))();
        await store.OpenAsync(Cancel);
        DefinitionRow[] offered =
            [.. Enumerable.Range(0, 60).Select(i => new DefinitionRow($"d{i / 2}", 1, "hash", "{}", StoreRows.Now))];

        var adding = Task.WhenAll(Enumerable.Range(0, count).Select(adder => Task.Run(
            async () =>
            {
                foreach (var definition in offered.Where((_, i) => i % count == adder))
                {
                    await store.AddDefinitionAsync(definition, Cancel);
                }
            },
            Cancel)));
        var read = new List<DefinitionRow>();
        for (var isOver = false; !isOver;)
        {
            isOver = adding.IsCompleted;
            read.AddRange(await store.LoadDefinitionsAsync(read.Count == 0 ? 0 : read[^1].Number, Cancel));
        }

        await adding;
        Assert.Equal(Enumerable.Range(1, 30).Select(n => (long)n), read.Select(d => d.Number));
        Assert.Equal(offered.Select(d => d.Name).Distinct().Order(), read.Select(d => d.Name).Order());
        Assert.Equal(read[28..], await store.LoadDefinitionsAsync(28, Cancel));
        Assert.Empty(await store.LoadDefinitionsAsync(30, Cancel));
    }

    private static async Task<ILaneStore> OpenAsync(IWorkflowStore store)
    {
        await store.OpenAsync(Cancel);
        var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        return lane;
    }

    private static List<Guid> Ids(int count) =>
        [.. Enumerable.Range(0, count).Select(_ => Guid.CreateVersion7(StoreRows.Now)).Order()];

    private static InstanceRow Row(
        Guid id, int place, long revision) => StoreRows.Instance(id, revision, revision switch
    {
        Suspended - 2 or Suspended - 1 => InstanceState.Failed,
        Suspended => InstanceState.Suspended,
        > Suspended => InstanceState.Completed,
        _ => InstanceState.Waiting,
    }) with { Body = $$"""{"v":{"n":{{place}}},"h":{{revision}}}""" };

    private static InstanceWrite Write(InstanceRow row) => row.Revision switch
    {
        1 => StoreRows.New(row),
        Suspended - 1 or Suspended => StoreRows.Failed(row),
        _ => StoreRows.Live(row),
    };
}
