namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// Live instances that only the store holds: how they get there and back, how they are found, and what lists and
/// snapshots show of them.
/// </summary>
public abstract class DormantConformance<TStores>(TStores stores) : IClassFixture<TStores>, IAsyncLifetime
    where TStores : StoreFixture
{
    private static readonly DateTimeOffset Due = StoreRows.Now.AddDays(3);

    private readonly Guid _instance = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _task = Guid.CreateVersion7(StoreRows.Now);
    private readonly DormantWait _wait = new(77, Guid.CreateVersion7(StoreRows.Now));
    private readonly Stack<IAsyncDisposable> _open = [];
    private IWorkflowStore? _opened;
    private ILaneStore? _writer;

    private IWorkflowStore Store =>
        _opened ?? throw new InvalidOperationException("The test has not been initialised.");
    private ILaneStore Lane => _writer ?? throw new InvalidOperationException("The test has not been initialised.");
    private IDormantInstances Dormant => Lane.Dormant;

    /// <summary>The first batch adds an instance with a task, the second makes the instance dormant.</summary>
    public async ValueTask InitializeAsync()
    {
        _open.Push(_opened = (await stores.CreateAsync(Cancel))());
        await _opened.OpenAsync(Cancel);
        _writer = await LoadedAsync(0, 1);
        await _writer.FlushAsync(
            StoreRows.Batch(1, batch =>
            {
                batch.Instances.Add(StoreRows.New(StoreRows.Instance(_instance, 1)));
                batch.Tasks.Add(StoreRows.Task(_task, _instance));
            }),
            Cancel);
        await _writer.FlushAsync(Moves(2, new DormantWrite(_instance, 1, Due, [_wait])), Cancel);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var open in _open)
        {
            await open.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Dormant_instance_is_found_by_id_task_and_slot()
    {
        var row = StoreRows.Instance(_instance, 1) with { History = "" };

        Assert.Equal([row], await Dormant.FindAsync(new() { Instances = [_instance, Guid.NewGuid()] }, Cancel));
        Assert.Equal([row], await Dormant.FindAsync(new() { Tasks = [Guid.NewGuid(), _task] }, Cancel));
        Assert.Equal([row], await Dormant.FindAsync(new() { Slots = [76, 77, 78] }, Cancel));
        Assert.Equal(
            [row],
            await Dormant.FindAsync(new() { Instances = [_instance], Tasks = [_task], Slots = [77, 77] }, Cancel));
        Assert.Empty(
            await Dormant.FindAsync(new() { Instances = [_task], Tasks = [_instance], Slots = [-77] }, Cancel));
        Assert.Empty(await Dormant.FindAsync(new(), Cancel));
    }

    [Fact]
    public async Task Only_open_tasks_find_their_instance()
    {
        await Lane.FlushAsync(
            StoreRows.Batch(3, batch =>
                batch.Tasks.Add(new TaskChange(_task, TaskState.Cancelled, null, null, StoreRows.Now))),
            Cancel);

        Assert.Empty(await Dormant.FindAsync(new() { Tasks = [_task] }, Cancel));
    }

    [Fact]
    public async Task Snapshot_leaves_dormant_instances_out()
    {
        var (other, lane) = (Guid.CreateVersion7(StoreRows.Now), await LoadedAsync(0, 1));
        await lane.FlushAsync(
            StoreRows.Batch(3, b => b.Instances.Add(StoreRows.New(StoreRows.Instance(other, 1)))), Cancel);

        Assert.Equal([other], (await ReadLiveAsync()).Select(i => i.Id));
    }

    [Fact]
    public async Task Lists_and_history_have_dormant_instances_as_live()
    {
        var first = Guid.CreateVersion7(StoreRows.Now.AddHours(-1));
        var last = Guid.CreateVersion7(StoreRows.Now.AddHours(1));
        await Lane.FlushAsync(
            StoreRows.Batch(3, b => b.Instances.AddRange(
            [
                StoreRows.New(StoreRows.Instance(first, 1)),
                StoreRows.New(StoreRows.Instance(last, 1, InstanceState.Completed)),
            ])),
            Cancel);

        Assert.Equal(
            StoreRows.Instance(_instance, 1) with { History = "" }, await Store.FindInstanceAsync(_instance, Cancel));
        Assert.Equal("line 1\n", await Store.FindHistoryAsync(_instance, Cancel));
        Assert.Equal([first, _instance, last], await IdsAsync(new()));
        Assert.Equal([last, _instance, first], await IdsAsync(new() { NewestFirst = true }));
        Assert.Equal([_instance], await IdsAsync(new() { After = first, Limit = 1 }));
        Assert.Equal([first, _instance], await IdsAsync(new() { State = InstanceState.Waiting }));
        Assert.Equal([first, _instance, last], await IdsAsync(new() { CorrelationKey = "key 'ü' 漢" }));
        Assert.Equal([first], await IdsAsync(new() { CorrelationKey = "key 'ü' 漢", Limit = 1 }));
        Assert.Empty(await IdsAsync(new() { Definition = "other" }));

        async Task<IEnumerable<Guid>> IdsAsync(Workflow.Abstractions.InstanceQuery query) =>
            (await Store.ListInstancesAsync(query, Cancel)).Select(row => row.Id);
    }

    [Fact]
    public async Task Retention_leaves_dormant_instances_alone()
    {
        var later = StoreRows.Now.AddYears(1);
        await Store.TrimAsync(StoreRows.Trim(later, later, later, later), Cancel);

        Assert.NotNull(await Store.FindInstanceAsync(_instance, Cancel));
        Assert.Single(await Dormant.FindAsync(new() { Tasks = [_task] }, Cancel));
    }

    [Fact]
    public async Task Instance_wakes_and_becomes_dormant_again()
    {
        var awake = StoreRows.Instance(_instance, 2);
        await Lane.FlushAsync(Wakes(3, awake), Cancel);

        Assert.Equal([awake with { History = "" }], await ReadLiveAsync());
        Assert.Equal("line 1\nline 2\n", await Store.FindHistoryAsync(_instance, Cancel));
        await AssertNotDormantAsync();

        var lane = await LoadedAsync(0, 1);
        await lane.FlushAsync(
            StoreRows.Batch(4, b => b.Instances.Add(StoreRows.Live(StoreRows.Instance(_instance, 3)))), Cancel);
        await lane.FlushAsync(Moves(5, new DormantWrite(_instance, 3, null, [_wait with { Slot = 5 }])), Cancel);
        Assert.Equal(3, Assert.Single(await Dormant.FindAsync(new() { Slots = [5] }, Cancel)).Revision);
        Assert.Equal("line 1\nline 2\nline 3\n", await Store.FindHistoryAsync(_instance, Cancel));
        Assert.Empty(await Dormant.ReadDueAsync(null, DateTimeOffset.MaxValue, 10, Cancel));
    }

    [Theory]
    [InlineData(InstanceState.Completed)]
    [InlineData(InstanceState.Failed)]
    [InlineData(InstanceState.Cancelled)]
    public async Task Instance_wakes_to_its_end(InstanceState end)
    {
        var over = StoreRows.Instance(_instance, 2, end);
        await Lane.FlushAsync(Wakes(3, over), Cancel);

        Assert.Equal(over with { History = "" }, await Store.FindInstanceAsync(_instance, Cancel));
        Assert.Equal("line 1\nline 2\n", await Store.FindHistoryAsync(_instance, Cancel));
        Assert.Empty(await ReadLiveAsync());
        await AssertNotDormantAsync();
    }

    /// <summary>Alone and with others, because a store may write one row in another way.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Instances_move_and_wake_alone_and_in_batches(int count)
    {
        var ids = Ids(count);
        await AddAsync(3, ids);
        await Lane.FlushAsync(
            Moves(4, [.. ids.Select((id, place) =>
                new DormantWrite(id, 1, place == 0 ? null : Due.AddHours(place), Waits(id, place)))]),
            Cancel);
        Assert.Equal(ids, (await Dormant.FindAsync(new() { Instances = ids }, Cancel)).Select(i => i.Id).Order());
        Assert.Equal(
            ids[1..],
            (await Dormant.ReadDueAsync((Due, _instance), Due.AddYears(1), 10, Cancel)).Select(d => d.Row.Id));
        Assert.Equal(
            ids.SelectMany((id, place) => Waits(id, place)).Select(w => w.Slot).Append(77).Order(),
            await Dormant.ReadSlotsAsync(0, null, 100, Cancel));

        var wakes = StoreRows.Batch(5);
        foreach (var (place, id) in ids.Index())
        {
            wakes.Instances.Add(new(InstanceOrigin.Dormant, StoreRows.Instance(id, 2)));
            wakes.DormantWaitsRemoved.AddRange(Waits(id, place));
        }

        await Lane.FlushAsync(wakes, Cancel);
        Assert.Empty(await Dormant.FindAsync(new() { Instances = ids }, Cancel));
        Assert.Equal([77], await Dormant.ReadSlotsAsync(0, null, 100, Cancel));
        Assert.Equal(
            ids, (await ReadLiveAsync()).Select(i => i.Id).Order());

        static IReadOnlyList<DormantWait> Waits(Guid id, int place) =>
            [.. Enumerable.Range(0, place).Select(n => new DormantWait(1_000 + n, id))];
    }

    [Fact]
    public async Task Due_instances_come_in_order_of_time_and_id()
    {
        var ids = Ids(6);
        await AddAsync(3, ids);
        DateTimeOffset[] dues =
            [Due.AddHours(2), Due.AddHours(1), Due.AddHours(1), Due.AddHours(1), Due.AddHours(3), Due.AddHours(1)];
        await Lane.FlushAsync(
            Moves(4, [.. ids.Select((id, place) => new DormantWrite(id, 1, dues[place], []))]), Cancel);
        (DateTimeOffset, Guid)[] expected =
        [
            (Due, _instance), (dues[1], ids[1]), (dues[1], ids[2]), (dues[1], ids[3]), (dues[1], ids[5]),
            (dues[0], ids[0]),
        ];

        foreach (var limit in new[] { 1, 2, 4, 100 })
        {
            var read = new List<(DateTimeOffset, Guid)>();
            for (var (after, isLast) = (default((DateTimeOffset, Guid)?), false); !isLast;)
            {
                var page = await Dormant.ReadDueAsync(after, Due.AddHours(2), limit, Cancel);
                Assert.InRange(page.Count, 0, limit);
                Assert.All(page, due => Assert.Equal("order", due.Row.Definition));
                read.AddRange(page.Select(due => (due.DueUtc, due.Row.Id)));
                isLast = page.Count == 0;
                after = isLast ? after : read[^1];
            }

            Assert.Equal(expected, read);
        }

        Assert.Empty(await Dormant.ReadDueAsync(null, Due.AddTicks(-10), 10, Cancel));
        Assert.Empty(await Dormant.ReadDueAsync((Due.AddDays(9), _instance), Due.AddHours(2), 10, Cancel));
    }

    [Fact]
    public async Task Slots_of_a_partition_come_in_order_and_in_pages()
    {
        var id = Ids(1)[0];
        await AddAsync(3, [id]);

        // The first six bits are the partition; those from 32 on are negative numbers.
        long[] slots = [0, (1L << 58) - 1, 1L << 58, long.MaxValue, long.MinValue, -1];
        await Lane.FlushAsync(
            Moves(4, new DormantWrite(
                id, 1, null,
                [.. slots.Append(0L).Select(slot => new DormantWait(slot, Guid.CreateVersion7(StoreRows.Now)))])),
            Cancel);

        Assert.Equal([0, 0, 77, (1L << 58) - 1], await Dormant.ReadSlotsAsync(0, null, 10, Cancel));
        Assert.Equal([0, 0], await Dormant.ReadSlotsAsync(0, null, 2, Cancel));
        Assert.Equal([77], await Dormant.ReadSlotsAsync(0, 0, 1, Cancel));
        Assert.Equal([(1L << 58) - 1], await Dormant.ReadSlotsAsync(0, 77, 10, Cancel));
        Assert.Empty(await Dormant.ReadSlotsAsync(0, (1L << 58) - 1, 10, Cancel));
        Assert.Equal([1L << 58], await Dormant.ReadSlotsAsync(1, null, 10, Cancel));
        Assert.Equal([long.MaxValue], await Dormant.ReadSlotsAsync(31, null, 10, Cancel));
        Assert.Empty(await Dormant.ReadSlotsAsync(31, long.MaxValue, 10, Cancel));
        Assert.Equal([long.MinValue], await Dormant.ReadSlotsAsync(32, null, 10, Cancel));
        Assert.Equal([-1], await Dormant.ReadSlotsAsync(63, null, 10, Cancel));
        Assert.Empty(await Dormant.ReadSlotsAsync(63, -1, 10, Cancel));
        Assert.Empty(await Dormant.ReadSlotsAsync(2, null, 10, Cancel));
    }

    [Fact]
    public async Task One_of_two_waits_in_a_slot_is_removed_alone()
    {
        var id = Ids(1)[0];
        await AddAsync(3, [id]);
        await Lane.FlushAsync(Moves(4, new DormantWrite(id, 1, null, [_wait with { WaitId = id }])), Cancel);
        Assert.Equal(2, (await Dormant.FindAsync(new() { Slots = [77] }, Cancel)).Count);

        await Lane.FlushAsync(Wakes(5, StoreRows.Instance(_instance, 2)), Cancel);

        Assert.Equal(id, Assert.Single(await Dormant.FindAsync(new() { Slots = [77] }, Cancel)).Id);
    }

    [Fact]
    public async Task Move_of_what_is_not_live_with_its_revision_is_stale()
    {
        var id = Ids(1)[0];
        await AddAsync(3, [id]);
        foreach (var writes in new DormantWrite[][]
        {
            [new(id, 2, null, [])],
            [new(id, 0, null, [])],
            [new(id, 1, null, []), new(id, 1, null, [])],
            [new(id, 1, null, []), new(_instance, 1, null, [])],
            [new(_instance, 1, null, [])],
            [new(Guid.NewGuid(), 1, null, [])],
            [new(id, 1, null, [_wait])],
            [new(id, 1, null, [_wait with { Slot = 1 }, _wait with { Slot = 1 }])],
        })
        {
            await RefusedAsync(Moves(4, writes));
        }
    }

    [Fact]
    public async Task Wake_of_what_is_not_dormant_with_its_revision_is_stale()
    {
        var live = Ids(1)[0];
        await AddAsync(3, [live]);
        foreach (var row in new[]
        {
            StoreRows.Instance(_instance, 1), StoreRows.Instance(_instance, 3),
            StoreRows.Instance(_instance, 3, InstanceState.Completed), StoreRows.Instance(live, 2),
            StoreRows.Instance(live, 2, InstanceState.Completed), StoreRows.Instance(Guid.NewGuid(), 2),
        })
        {
            await RefusedAsync(Wakes(4, row));
        }
    }

    [Fact]
    public async Task Change_of_a_dormant_instance_by_another_origin_is_stale()
    {
        await RefusedAsync(StoreRows.Batch(3, 0, StoreRows.Live(StoreRows.Instance(_instance, 2))));
        await RefusedAsync(
            StoreRows.Batch(3, 0, StoreRows.Live(StoreRows.Instance(_instance, 2, InstanceState.Completed))));
        await RefusedAsync(StoreRows.Batch(3, 0, StoreRows.Failed(StoreRows.Instance(_instance, 2))));
    }

    [Fact]
    public async Task Removal_of_a_wait_that_is_not_stored_is_stale()
    {
        foreach (var removed in new DormantWait[][]
        {
            [_wait with { Slot = 78 }], [_wait with { WaitId = Guid.NewGuid() }], [_wait, _wait],
            [_wait, _wait with { Slot = 78 }],
        })
        {
            var batch = StoreRows.Batch(
                3, 0, new InstanceWrite(InstanceOrigin.Dormant, StoreRows.Instance(_instance, 2)));
            batch.DormantWaitsRemoved.AddRange(removed);
            await RefusedAsync(batch);
        }
    }

    [Fact]
    public async Task Position_and_counts_continue_after_a_load()
    {
        var batch = StoreRows.Batch(3);
        (batch.LastPosition, batch.DormantInstances, batch.DormantTasks) = (500, 1, 1);
        StoreRows.With(batch);
        await Lane.FlushAsync(batch, Cancel);

        var same = await (await LoadedAsync(0, 1)).LoadAsync(Cancel);
        Assert.Equal((500L, 1L, 1L), (same.LastPosition, same.DormantInstances, same.DormantTasks));
        var other = await (await LoadedAsync(1, 2)).LoadAsync(Cancel);
        Assert.Equal((500L, 0L, 0L), (other.LastPosition, other.DormantInstances, other.DormantTasks));
    }

    [Fact]
    public async Task Dormant_instances_are_counted_anew_for_another_number_of_lanes()
    {
        var ids = Ids(3);
        await Lane.FlushAsync(
            StoreRows.Batch(3, batch =>
            {
                batch.Instances.AddRange(ids.Select((id, place) =>
                    StoreRows.New(StoreRows.Instance(id, 1) with { Partition = (short)(place + 1) })));
                batch.Tasks.AddRange(ids.Select((id, place) =>
                    StoreRows.Task(Guid.CreateVersion7(), id) with { Partition = (short)(place + 1) }));
            }),
            Cancel);
        var moves = Moves(4, [.. ids.Select(id => new DormantWrite(id, 1, Due, []))]);
        (moves.DormantInstances, moves.DormantTasks) = (4, 4);
        await Lane.FlushAsync(moves, Cancel);
        Assert.Equal(4, (await (await LoadedAsync(0, 1)).LoadAsync(Cancel)).DormantInstances);

        var odd = await LoadedAsync(1, 2);
        var even = await LoadedAsync(0, 2);
        var (ofOdd, ofEven) = (await odd.LoadAsync(Cancel), await even.LoadAsync(Cancel));
        Assert.Equal((2L, 2L), (ofOdd.DormantInstances, ofOdd.DormantTasks));
        Assert.Equal((2L, 2L), (ofEven.DormantInstances, ofEven.DormantTasks));
        Assert.Equal([ids[0], ids[2]], await DueAsync(odd));
        Assert.Equal([_instance, ids[1]], (await DueAsync(even)).OrderBy(id => id == _instance ? 0 : 1));
        Assert.Equal(
            [ids[0], ids[2]],
            (await odd.Dormant.FindAsync(new() { Instances = [.. ids, _instance] }, Cancel))
                .Select(i => i.Id).Order());

        static async Task<IEnumerable<Guid>> DueAsync(ILaneStore lane) =>
            (await lane.Dormant.ReadDueAsync(null, Due, 10, Cancel)).Select(due => due.Row.Id);
    }

    private static FlushBatch Moves(long number, params DormantWrite[] writes)
    {
        var batch = StoreRows.Batch(number, b => b.Dormant.AddRange(writes));
        (batch.DormantInstances, batch.DormantTasks) = (1, 1);
        return batch;
    }

    private static List<Guid> Ids(int count) =>
        [.. Enumerable.Range(0, count).Select(_ => Guid.CreateVersion7(StoreRows.Now)).Order()];

    private FlushBatch Wakes(long number, InstanceRow row)
    {
        var batch = StoreRows.Batch(number, 0, new InstanceWrite(InstanceOrigin.Dormant, row));
        batch.DormantWaitsRemoved.Add(_wait);
        return batch;
    }

    private Task AddAsync(long number, IReadOnlyList<Guid> ids) => Lane.FlushAsync(
        StoreRows.Batch(number, batch =>
            batch.Instances.AddRange(ids.Select(id => StoreRows.New(StoreRows.Instance(id, 1))))),
        Cancel);

    private async Task<ILaneStore> LoadedAsync(int index, int count)
    {
        var lane = await Store.OpenLaneAsync(new(index, count), Cancel);
        _open.Push(lane);
        await lane.LoadAsync(Cancel);
        return lane;
    }

    /// <summary>What the next writer of the lane reads, which must be what it counts.</summary>
    private async Task<IReadOnlyList<InstanceRow>> ReadLiveAsync()
    {
        var lane = await Store.OpenLaneAsync(new(0, 1), Cancel);
        _open.Push(lane);
        var count = (await lane.LoadAsync(Cancel)).Instances;
        var rows = await lane.ReadInstancesAsync(StoreRows.EveryPartition, Cancel);
        Assert.Equal(count, rows.Count);
        return rows;
    }

    private async Task AssertNotDormantAsync()
    {
        Assert.Empty(
            await Dormant.FindAsync(new() { Instances = [_instance], Tasks = [_task], Slots = [77] }, Cancel));
        Assert.Empty(await Dormant.ReadDueAsync(null, DateTimeOffset.MaxValue, 10, Cancel));
        Assert.Empty(await Dormant.ReadSlotsAsync(0, null, 10, Cancel));
    }

    /// <summary>The writer may go on afterwards: nothing of the batch was committed.</summary>
    private async Task RefusedAsync(FlushBatch batch)
    {
        StoreRows.With(batch);
        var before = await SeenAsync();
        var error = await Assert.ThrowsAsync<FlushException>(() => Lane.FlushAsync(batch, Cancel));
        Assert.Equal(FlushFailure.Stale, error.Failure);
        Assert.Equal(before, await SeenAsync());
        Assert.Empty(await Lane.FindKeysAsync([batch.Keys[^1].Key], Cancel));
    }

    private async Task<string> SeenAsync() => string.Join(
        '\n',
        [
            .. await Store.ListInstancesAsync(new() { Limit = 1_000 }, Cancel),
            .. await Dormant.ReadDueAsync(null, DateTimeOffset.MaxValue, 1_000, Cancel),
            .. await Dormant.FindAsync(new() { Instances = [_instance] }, Cancel),
            .. (await Dormant.ReadSlotsAsync(0, null, 1_000, Cancel)).Cast<object>(),
        ]);
}
