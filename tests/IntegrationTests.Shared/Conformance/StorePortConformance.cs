namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// The port itself: rows are read back as written, and a batch whose guard fails leaves nothing behind.
/// </summary>
public abstract class StorePortConformance<TStores>(TStores stores) : IClassFixture<TStores>, IAsyncLifetime
    where TStores : StoreFixture
{
    private readonly Guid _live = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _signal = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _subscription = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _message = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _task = Guid.CreateVersion7(StoreRows.Now);
    private readonly Guid _child = Guid.CreateVersion7(StoreRows.Now);
    private readonly Stack<IAsyncDisposable> _open = [];
    private IWorkflowStore? _opened;
    private ILaneStore? _writer;

    private IWorkflowStore Store =>
        _opened ?? throw new InvalidOperationException("The test has not been initialised.");
    private ILaneStore Lane => _writer ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        _open.Push(_opened = (await stores.CreateAsync(Cancel))());
        await _opened.OpenAsync(Cancel);
        _open.Push(_writer = await _opened.OpenLaneAsync(new(0, 1), Cancel));
        var empty = await _writer.LoadAsync(Cancel);
        Assert.Equal((0L, 0L, 0L), (empty.LastBatch, empty.LastSequence, empty.PublishedSequence));
        await _writer.FlushAsync(First(), Cancel);
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
    public async Task Everything_written_is_read_back_the_same()
    {
        var first = First();
        await using var again = await Store.OpenLaneAsync(new(0, 1), Cancel);
        var snapshot = await again.LoadAsync(Cancel);

        Assert.Equal((1L, 2L, 0L), (snapshot.LastBatch, snapshot.LastSequence, snapshot.PublishedSequence));
        Assert.Equal(
            first.Instances[0].Row with { History = "" },
            Assert.Single(await again.ReadInstancesAsync(StoreRows.EveryPartition, Cancel)));
        Assert.Equal(first.Pending.OrderBy(p => p.Position), snapshot.Pending);
        AssertSame((TaskRow)first.Tasks[0], await Store.FindTaskAsync(_task, Cancel));
        Assert.Equal([_child], await Store.FindChildrenAsync(_live, 10, Cancel));
        Assert.Equal(first.Keys, await again.FindKeysAsync(["start:a", "start:b"], Cancel));
        Assert.Equal(first.Events.Select(StoreRows.Parts),
            (await Store.ReadEventsAsync(0, 0, 10, Cancel)).Select(StoreRows.Parts));
        Assert.Equal(first.Events[1..].Select(StoreRows.Parts),
            (await Store.ReadEventsAsync(0, 1, 10, Cancel)).Select(StoreRows.Parts));
        Assert.Single(await Store.ReadEventsAsync(0, 0, 1, Cancel));
        Assert.Empty(await Store.ReadEventsAsync(1, 0, 10, Cancel));
    }

    [Fact]
    public async Task Instance_moves_from_live_to_finished_and_keeps_its_history()
    {
        await Lane.FlushAsync(StoreRows.Batch(2, 2, StoreRows.Live(StoreRows.Instance(_live, 2))), Cancel);
        var done = StoreRows.Instance(_live, 3, InstanceState.Completed);
        var atOnce = StoreRows.Instance(Guid.CreateVersion7(StoreRows.Now), 1, InstanceState.Failed);
        await Lane.FlushAsync(
            StoreRows.Batch(3, 2, b => b.Instances.AddRange([StoreRows.Live(done), StoreRows.New(atOnce)])), Cancel);

        Assert.Equal(done with { History = "" }, await Store.FindInstanceAsync(_live, Cancel));
        Assert.Equal("line 1\nline 2\nline 3\n", await Store.FindHistoryAsync(_live, Cancel));
        Assert.Equal("line 1\n", await Store.FindHistoryAsync(atOnce.Id, Cancel));
        Assert.Null(await Store.FindHistoryAsync(Guid.NewGuid(), Cancel));
        await using var again = await Store.OpenLaneAsync(new(0, 1), Cancel);
        await again.LoadAsync(Cancel);
        Assert.Empty(await again.ReadInstancesAsync(StoreRows.EveryPartition, Cancel));
    }

    [Fact]
    public async Task Retried_instance_keeps_its_history()
    {
        await Lane.FlushAsync(
            StoreRows.Batch(2, 2, StoreRows.Live(StoreRows.Instance(_live, 2, InstanceState.Failed))), Cancel);
        await Lane.FlushAsync(
            StoreRows.Batch(3, 2, StoreRows.Failed(StoreRows.Instance(_live, 3, InstanceState.Failed))), Cancel);
        var back = StoreRows.Instance(_live, 4, InstanceState.Suspended);
        await Lane.FlushAsync(StoreRows.Batch(4, 2, StoreRows.Failed(back)), Cancel);

        Assert.Equal(back with { History = "" }, await Store.FindInstanceAsync(_live, Cancel));
        Assert.Equal("line 1\nline 2\nline 3\nline 4\n", await Store.FindHistoryAsync(_live, Cancel));
        Assert.Equal(
            _live, Assert.Single(await Store.ListInstancesAsync(new() { State = InstanceState.Suspended }, Cancel)).Id);
        await Lane.FlushAsync(
            StoreRows.Batch(5, 2, StoreRows.Live(StoreRows.Instance(_live, 5, InstanceState.Completed))), Cancel);
        await using var again = await Store.OpenLaneAsync(new(0, 1), Cancel);
        await again.LoadAsync(Cancel);
        Assert.Empty(await again.ReadInstancesAsync(StoreRows.EveryPartition, Cancel));
    }

    [Fact]
    public async Task History_of_many_commits_is_complete_and_in_order()
    {
        for (var number = 2; number <= 20; number++)
        {
            var row = StoreRows.Instance(
                _live, number, number is 12 or 16 or 17 or 20 ? InstanceState.Failed : InstanceState.Waiting);
            var write = number is 13 or 17 or 18 ? StoreRows.Failed(row) : StoreRows.Live(row);
            await Lane.FlushAsync(StoreRows.Batch(number, 2, write), Cancel);
            Assert.Equal(string.Concat(Enumerable.Range(1, number).Select(n => $"line {n}\n")),
                await Store.FindHistoryAsync(_live, Cancel));
        }
    }

    [Theory]
    [InlineData(2, InstanceState.Failed), InlineData(4, InstanceState.Failed), InlineData(3, InstanceState.Completed)]
    public async Task Retry_of_another_revision_or_of_what_has_not_failed_is_stale(long revision, InstanceState end)
    {
        await Lane.FlushAsync(StoreRows.Batch(2, 2, StoreRows.Live(StoreRows.Instance(_live, 2, end))), Cancel);
        await RefusedAsync(
            FlushFailure.Stale, StoreRows.Batch(3, 3, StoreRows.Failed(StoreRows.Instance(_live, revision))), Lane);
    }

    [Fact]
    public async Task What_is_removed_goes_before_what_is_added()
    {
        var second = StoreRows.Batch(2, 2);
        second.PendingRemoved.AddRange([_signal, _message]);
        second.Pending.Add(StoreRows.Signal(_signal, 9));
        second.Pending.Add(StoreRows.Signal(Guid.CreateVersion7(StoreRows.Now), 11));

        // In the commit that handles a message from another node the signal that came by it takes its id.
        second.Pending.Add(StoreRows.Signal(_message, 10));
        await Lane.FlushAsync(second, Cancel);

        await using var again = await Store.OpenLaneAsync(new(0, 1), Cancel);
        var left = (await again.LoadAsync(Cancel)).Pending;
        Assert.Equal(second.Pending.OrderBy(p => p.Position), left.Where(p => p.Kind == PendingKind.Signal));
        Assert.Equal(First().Pending.Where(p => p.Kind == PendingKind.Subscription),
            left.Where(p => p.Kind != PendingKind.Signal));
    }

    [Fact]
    public async Task Lanes_share_the_partitions_by_remainder()
    {
        await using var even = await Store.OpenLaneAsync(new(0, 2), Cancel);
        await using var odd = await Store.OpenLaneAsync(new(1, 2), Cancel);

        await even.LoadAsync(Cancel);
        Assert.Single(await even.ReadInstancesAsync([0, 4], Cancel));
        Assert.Empty(await even.ReadInstancesAsync([2], Cancel));
        var other = await odd.LoadAsync(Cancel);
        Assert.Empty(await odd.ReadInstancesAsync([1, 3], Cancel));
        Assert.Equal((0L, 0L), (other.LastBatch, other.LastSequence));
    }

    [Fact]
    public async Task Writer_is_fenced_once_another_has_loaded_the_lane()
    {
        await using var successor = await Store.OpenLaneAsync(new(0, 1), Cancel);
        await successor.LoadAsync(Cancel);

        await RefusedAsync(FlushFailure.Fenced, StoreRows.Batch(2, 3), Lane);
        await successor.FlushAsync(StoreRows.With(StoreRows.Batch(2, 2)), Cancel);
        await RefusedAsync(FlushFailure.Fenced, StoreRows.Batch(3, 3), Lane);
    }

    [Fact]
    public async Task Batches_of_several_lanes_are_committed_together()
    {
        var (group, even, odd) = await GroupAsync();
        await group.FlushAsync(
            [new(even, StoreRows.With(StoreRows.Batch(2, 2))), new(odd, StoreRows.Batch(1, 1, AddEvent))], Cancel);
        await group.FlushAsync([new(odd, StoreRows.Batch(2, 1)), new(even, StoreRows.Batch(3, 2))], Cancel);

        await using var again = await Store.OpenLaneAsync(new(1, 2), Cancel);
        var snapshot = await again.LoadAsync(Cancel);
        Assert.Equal((2L, 1L), (snapshot.LastBatch, snapshot.LastSequence));
        Assert.Single(await Store.ReadEventsAsync(1, 0, 10, Cancel));
        Assert.Equal(2, (await Store.ListTasksAsync(new() { Limit = 10 }, Cancel)).Count);

        static void AddEvent(FlushBatch batch) => batch.Events.Add(StoreRows.Event(1, stream: 1));
    }

    [Fact]
    public async Task One_fenced_lane_of_several_leaves_nothing_of_any()
    {
        var (group, even, odd) = await GroupAsync();
        await using var successor = await Store.OpenLaneAsync(new(1, 2), Cancel);
        await successor.LoadAsync(Cancel);

        await RefusedAsync(FlushFailure.Fenced, StoreRows.Batch(2, 2),
            batch => group.FlushAsync([new(even, batch), new(odd, StoreRows.Batch(1))], Cancel));
    }

    [Fact]
    public async Task One_stale_lane_of_several_leaves_nothing_of_any()
    {
        var (group, even, odd) = await GroupAsync();

        await RefusedAsync(FlushFailure.Stale, StoreRows.Batch(2, 2),
            batch => group.FlushAsync([new(odd, StoreRows.Batch(7)), new(even, batch)], Cancel));
    }

    [Fact]
    public async Task One_idempotency_key_in_two_lanes_is_a_conflict()
    {
        var (group, even, odd) = await GroupAsync();
        var twice = new IdempotencyRow("start:twice", "hash", Guid.NewGuid(), StoreRows.Now);

        await RefusedAsync(FlushFailure.Conflict, StoreRows.Batch(2, 2, b => b.Keys.Add(twice)),
            batch => group.FlushAsync(
                [new(even, batch), new(odd, StoreRows.Batch(1, b => b.Keys.Add(twice)))], Cancel));
    }

    [Theory]
    [InlineData(0), InlineData(1), InlineData(3)]
    public async Task Batch_that_does_not_follow_the_last_is_stale(long number) =>
        await RefusedAsync(FlushFailure.Stale, StoreRows.Batch(number, 3), Lane);

    [Theory]
    [InlineData(1), InlineData(3)]
    public async Task Update_of_another_revision_is_stale(long revision) =>
        await RefusedAsync(
            FlushFailure.Stale, StoreRows.Batch(2, 3, StoreRows.Live(StoreRows.Instance(_live, revision))), Lane);

    [Fact]
    public async Task Update_of_an_instance_that_is_not_live_is_stale() =>
        await RefusedAsync(
            FlushFailure.Stale, StoreRows.Batch(2, 3, StoreRows.Live(StoreRows.Instance(Guid.NewGuid(), 2))), Lane);

    [Theory]
    [InlineData(3), InlineData(4)]
    public async Task Finish_of_another_revision_is_stale(long revision)
    {
        await RefusedAsync(FlushFailure.Stale,
            StoreRows.Batch(2, 3, StoreRows.Live(StoreRows.Instance(_live, revision, InstanceState.Completed))), Lane);
    }

    [Fact]
    public async Task Insert_of_an_instance_that_is_live_is_stale() =>
        await RefusedAsync(
            FlushFailure.Stale, StoreRows.Batch(2, 3, StoreRows.New(StoreRows.Instance(_live, 1))), Lane);

    [Fact]
    public async Task Removal_of_what_is_not_there_is_stale()
    {
        foreach (var remove in new Action<FlushBatch>[]
        {
            b => b.PendingRemoved.Add(Guid.NewGuid()),
            b => b.PendingRemoved.AddRange([_signal, Guid.NewGuid()]),
            b => b.Tasks.Add(new TaskChange(Guid.NewGuid(), TaskState.Completed, null, null, StoreRows.Now)),
        })
        {
            await RefusedAsync(FlushFailure.Stale, StoreRows.Batch(2, 3, remove), Lane);
        }
    }

    [Fact]
    public async Task Idempotency_key_that_is_there_is_a_conflict() =>
        await RefusedAsync(FlushFailure.Conflict, StoreRows.Batch(2, 3, b => b.Keys.Add(First().Keys[0])), Lane);

    [Fact]
    public async Task Addition_of_what_is_there_is_stale()
    {
        var first = First();
        foreach (var add in new Action<FlushBatch>[]
        {
            b => b.Pending.Add(first.Pending[0]),
            b => b.Pending.Add(first.Pending[1]),
            b => b.Pending.Add(first.Pending[2]),
            b => b.Tasks.Add(first.Tasks[0]),
            b => b.Children.Add(first.Children[0]),
        })
        {
            await RefusedAsync(FlushFailure.Stale, StoreRows.Batch(2, 3, add), Lane);
        }
    }

    [Fact]
    public async Task Task_changes_while_it_is_open_and_never_again()
    {
        await Lane.FlushAsync(
            StoreRows.Batch(
                2, 2, b =>
                    b.Tasks.Add(new TaskChange(_task, TaskState.Open, "bob", null, StoreRows.Now.AddSeconds(1)))),
                Cancel);
        var third = StoreRows.Batch(3, 2);
        var completion =
            new TaskChange(_task, TaskState.Completed, "bob", "{\"text\":\"\\u0000\"}", StoreRows.Now.AddSeconds(2));
        third.Tasks.Add(completion);
        await Lane.FlushAsync(third, Cancel);

        AssertSame(((TaskRow)First().Tasks[0]).With(completion), await Store.FindTaskAsync(_task, Cancel));
        await RefusedAsync(FlushFailure.Stale,
            StoreRows.Batch(4, 3, b => b.Tasks.Add(new TaskChange(_task, TaskState.Open, "ann", null, StoreRows.Now))),
            Lane);
    }

    [Fact]
    public async Task Definition_is_added_once_and_the_stored_one_returned()
    {
        var first = new DefinitionRow("order", 1, "hash", "{}", StoreRows.Now, Number: 1);
        Assert.Equal(first, await Store.AddDefinitionAsync(first with { Number = 0 }, Cancel));
        Assert.Equal(
            first, await Store.AddDefinitionAsync(
                first with { ContentHash = "other", RegisteredUtc = StoreRows.Now.AddDays(1) }, Cancel));
        Assert.Equal(first, await Store.AddDefinitionAsync(first with { ContentHash = "third" }, Cancel));
        Assert.Equal([first], await Store.LoadDefinitionsAsync(0, Cancel));
    }

    [Fact]
    public async Task Trim_removes_only_old_keys_and_published_events()
    {
        await Store.TrimAsync(
            StoreRows.Trim(StoreRows.Now.AddDays(1), StoreRows.Now.AddSeconds(-1), StoreRows.Now), Cancel);
        Assert.Equal(2, (await Store.ReadEventsAsync(0, 0, 10, Cancel)).Count);
        Assert.Single(await Lane.FindKeysAsync(["start:a"], Cancel));

        var second = StoreRows.Batch(2, 3);
        second.PublishedSequence = 2;
        second.Events.Add(StoreRows.Event(3));
        second.Keys.Add(new("start:new", "hash", _live, StoreRows.Now.AddDays(2)));
        await Lane.FlushAsync(second, Cancel);
        await Store.TrimAsync(
            StoreRows.Trim(StoreRows.Now.AddDays(1), StoreRows.Now.AddDays(1), StoreRows.Now), Cancel);

        Assert.Equal([3L], (await Store.ReadEventsAsync(0, 0, 10, Cancel)).Select(e => e.Sequence));
        Assert.Equal(["start:new"], (await Lane.FindKeysAsync(["start:a", "start:new"], Cancel)).Select(k => k.Key));
    }

    [Fact]
    public async Task Dead_letter_is_trimmed_only_after_its_replay()
    {
        var letters = Enumerable.Range(0, 3)
            .Select(i => StoreRows.Letter(
                Guid.CreateVersion7(StoreRows.Now.AddSeconds(i)), instance: i == 1 ? _live : null)).ToArray();
        var second = StoreRows.Batch(2, 2);
        second.DeadLetters.AddRange(letters);
        await Lane.FlushAsync(second, Cancel);
        Assert.Equal(letters, await Store.ListDeadLettersAsync(new(), Cancel));
        Assert.Equal([letters[1]], await Store.ListDeadLettersAsync(new() { InstanceId = _live }, Cancel));
        Assert.Equal(
            [letters[1]], await Store.ListDeadLettersAsync(new() { After = letters[0].Id, Limit = 1 }, Cancel));
        Assert.Empty(
            await Store.ListDeadLettersAsync(
                new() { Kind = Workflow.Contracts.DeadLetters.DeadLetterKind.Timer }, Cancel));
        Assert.Equal(
            [letters[1], letters[0]],
            await Store.ListDeadLettersAsync(new() { NewestFirst = true, Before = letters[2].Id }, Cancel));
        Assert.Equal(new(3, 3, null), await Store.CountDeadLettersAsync(new(), 10, Cancel));
        Assert.Equal(
            new(1, 2, letters[1].Id),
            await Store.CountDeadLettersAsync(new() { NewestFirst = true, InstanceId = _live }, 2, Cancel));

        var third = StoreRows.Batch(3, 2);
        third.DeadLetters.Add(new DeadLetterChange(letters[0].Id, "again", 2, StoreRows.Now.AddHours(1), null));
        third.DeadLetters.Add(new DeadLetterChange(letters[1].Id, "gone", 2, StoreRows.Now.AddHours(2), true));
        third.DeadLetters.Add(new DeadLetterChange(letters[2].Id, "gone", 2, StoreRows.Now.AddHours(3), false));
        await Lane.FlushAsync(third, Cancel);
        var failed = letters[0] with { Reason = "again", Attempts = 2, LastAttemptUtc = StoreRows.Now.AddHours(1) };
        var done = letters[1] with { Reason = "gone", Attempts = 2, LastAttemptUtc = StoreRows.Now.AddHours(
            2), ReplayedUtc = StoreRows.Now.AddHours(2), Applied = true };
        Assert.Equal([failed], await Store.ListDeadLettersAsync(new(), Cancel));
        Assert.Equal(done, await Store.FindDeadLetterAsync(done.Id, Cancel));
        Assert.Equal(
            [letters[1].Id, letters[2].Id],
            (await Store.ListDeadLettersAsync(new() { Replayed = true }, Cancel)).Select(l => l.Id));
        Assert.Equal(2, (await Store.CountDeadLettersAsync(new() { Replayed = true }, 10, Cancel)).Matching);
        Assert.Equal(1, (await Store.CountDeadLettersAsync(new(), 10, Cancel)).Matching);

        await RefusedAsync(FlushFailure.Stale,
            StoreRows.Batch(
                4, 3, b => b.DeadLetters
                    .Add(new DeadLetterChange(done.Id, "twice", 3, StoreRows.Now.AddHours(4), true))), Lane);
        await Store.TrimAsync(StoreRows.Trim(StoreRows.Now, StoreRows.Now, StoreRows.Now.AddHours(3)), Cancel);
        Assert.Null(await Store.FindDeadLetterAsync(done.Id, Cancel));
        Assert.NotNull(await Store.FindDeadLetterAsync(letters[2].Id, Cancel));
        await using var again = await Store.OpenLaneAsync(new(0, 1), Cancel);
        Assert.Equal([failed], (await again.LoadAsync(Cancel)).DeadLetters);
    }

    [Fact]
    public void Description_names_the_store_and_no_password() =>
        Assert.DoesNotContain("assword", Store.Description, StringComparison.OrdinalIgnoreCase);

    private FlushBatch First()
    {
        var batch = StoreRows.Batch(1, 2);
        batch.Instances.Add(StoreRows.New(StoreRows.Instance(_live, 1)));
        batch.Pending.Add(StoreRows.Message(_message));
        batch.Pending.Add(new(_subscription, 0, PendingKind.Subscription, 5, """{"n":"go","y":"b"}"""));
        batch.Pending.Add(StoreRows.Signal(_signal));
        batch.Tasks.Add(StoreRows.Task(_task, _live));
        batch.Children.Add(new(_live, _child));
        batch.Keys.Add(new("start:a", "hash", _live, StoreRows.Now));
        batch.Events.Add(StoreRows.Event(1));
        batch.Events.Add(StoreRows.Event(2));
        return batch;
    }

    /// <summary>Lists are not equal by content, so they are set beside each other on their own.</summary>
    private static void AssertSame(TaskRow expected, TaskRow? actual)
    {
        Assert.NotNull(actual);
        Assert.Equal(expected.Groups, actual.Groups);
        Assert.Equal(expected, actual with { Groups = expected.Groups });
    }

    /// <summary>Two lanes in place of the one, and what commits both.</summary>
    private async Task<(ILaneGroup Group, ILaneStore Even, ILaneStore Odd)> GroupAsync()
    {
        Assert.SkipWhen(Store.Group is null, "In this store each lane commits by itself.");
        var (even, odd) = (await Store.OpenLaneAsync(new(0, 2), Cancel), await Store.OpenLaneAsync(new(1, 2), Cancel));
        _open.Push(even);
        _open.Push(odd);
        await even.LoadAsync(Cancel);
        await odd.LoadAsync(Cancel);
        return (Store.Group!, even, odd);
    }

    private Task RefusedAsync(FlushFailure failure, FlushBatch batch, ILaneStore writer) =>
        RefusedAsync(failure, batch, one => writer.FlushAsync(one, Cancel));

    private async Task RefusedAsync(FlushFailure failure, FlushBatch batch, Func<FlushBatch, Task> flush)
    {
        batch.Events.Add(StoreRows.Event(3));
        StoreRows.With(batch);
        var before = await SeenAsync();

        Assert.Equal(failure, (await Assert.ThrowsAsync<FlushException>(() => flush(batch))).Failure);
        Assert.Equal(before, await SeenAsync());
        Assert.Empty(await Lane.FindKeysAsync([batch.Keys[^1].Key], Cancel));
    }

    private async Task<string> SeenAsync()
    {
        var tasks =
            (await Store.ListTasksAsync(new() { Limit = 1_000 }, Cancel)).Select(t => $"{t.Id} {t.State} {t.Assignee}");
        object[] instances = [.. await Store.ListInstancesAsync(new() { Limit = 1_000 }, Cancel)];
        return string.Join('\n', [.. instances, .. await Store.ReadEventsAsync(0, 0, 1_000, Cancel), .. tasks]);
    }
}
