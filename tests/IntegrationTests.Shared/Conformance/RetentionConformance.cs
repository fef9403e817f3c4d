namespace IntegrationTests.Shared.Conformance;

/// <summary>Finished rows are removed in portions.</summary>
public abstract class RetentionConformance<TStores>(TStores stores) : IClassFixture<TStores>
    where TStores : StoreFixture
{
    /// <summary>Whether the store removes finished instances.</summary>
    protected virtual bool RemovesFinished => true;

    [Fact]
    public async Task Trim_removes_one_portion_and_parts_before_their_instance()
    {
        const int Count = 25;
        var ended = Enumerable.Range(0, Count).Select(_ => Guid.CreateVersion7(StoreRows.Now)).ToArray();
        var (live, young) = (Guid.CreateVersion7(StoreRows.Now), Guid.CreateVersion7(StoreRows.Now.AddSeconds(1)));
        await using var store = (await stores.CreateAsync(Cancel))();
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        foreach (var sequence in Enumerable.Range(1, Count))
        {
            // Each in a separate flush, because a store may keep the events of one flush together.
            await lane.FlushAsync(
                StoreRows.Batch(sequence, sequence, b => b.Events.Add(StoreRows.Event(sequence))), Cancel);
        }

        var batch = StoreRows.Batch(Count + 1, Count);
        batch.PublishedSequence = Count;
        batch.Instances.Add(StoreRows.New(StoreRows.Instance(live, 1)));
        batch.Tasks.Add(StoreRows.Task(Guid.CreateVersion7(StoreRows.Now), live));
        batch.Instances.AddRange(ended.Select(id => StoreRows.New(StoreRows.Instance(id, 1, InstanceState.Completed))));
        batch.Instances.Add(
            StoreRows.New(
                StoreRows.Instance(young, 1, InstanceState.Failed) with { UpdatedUtc = StoreRows.Now.AddDays(2) }));
        batch.Tasks.AddRange(ended.Append(young).Select(id => StoreRows.Task(Guid.CreateVersion7(StoreRows.Now), id)));
        batch.Children.AddRange(ended.Append(young).Select(id => new ChildRow(id, Guid.NewGuid())));
        batch.Keys.AddRange(
            Enumerable.Range(0, Count).Select(i => new IdempotencyRow($"start:{i}", "hash", live, StoreRows.Now)));
        await lane.FlushAsync(batch, Cancel);
        var tomorrow = StoreRows.Now.AddDays(1);
        var request = StoreRows.Trim(tomorrow, tomorrow, StoreRows.Now, RemovesFinished ? tomorrow : null, limit: 10);

        Assert.True(await store.TrimAsync(request, Cancel));
        var (events, instances, tasks) = (await EventsAsync(), await InstancesAsync(), await TasksAsync());
        Assert.Equal((Count - 10, 2 + Count), (events, instances));
        Assert.Equal(RemovesFinished ? 2 + Count - 10 : 2 + Count, tasks);
        for (var calls = 1; await store.TrimAsync(request, Cancel); calls++)
        {
            Assert.InRange(calls, 1, 20);
            Assert.InRange(events - await EventsAsync(), 0, 10);
            Assert.InRange(instances - await InstancesAsync(), 0, 10);
            Assert.InRange(tasks - await TasksAsync(), 0, 10);
            (events, instances, tasks) = (await EventsAsync(), await InstancesAsync(), await TasksAsync());
            Assert.True(tasks <= instances, $"{tasks} tasks are left of {instances} instances.");
        }

        Assert.Equal((0, RemovesFinished ? 2 : 2 + Count), (await EventsAsync(), await InstancesAsync()));
        Assert.Empty(await lane.FindKeysAsync([.. Enumerable.Range(0, Count).Select(i => $"start:{i}")], Cancel));
        Assert.NotNull(await store.FindInstanceAsync(live, Cancel));
        Assert.NotNull(await store.FindHistoryAsync(young, Cancel));
        Assert.Single(await store.FindChildrenAsync(young, 10, Cancel));
        if (RemovesFinished)
        {
            var left = (await store.ListTasksAsync(new() { Limit = 100 }, Cancel)).Select(t => t.InstanceId);
            Assert.Equal(new[] { live, young }.Order(), left.Order());
            Assert.Null(await store.FindInstanceAsync(ended[0], Cancel));
            Assert.Null(await store.FindHistoryAsync(ended[0], Cancel));
            Assert.Empty(await store.FindChildrenAsync(ended[0], 10, Cancel));
        }

        async Task<int> EventsAsync() => (await store.ReadEventsAsync(0, 0, 100, Cancel)).Count;
        async Task<int> InstancesAsync() => (await store.ListInstancesAsync(new() { Limit = 100 }, Cancel)).Count;
        async Task<int> TasksAsync() => (await store.ListTasksAsync(new() { Limit = 100 }, Cancel)).Count;
    }
}
