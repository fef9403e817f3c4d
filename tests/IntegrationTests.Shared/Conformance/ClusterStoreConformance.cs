namespace IntegrationTests.Shared.Conformance;

/// <summary>Promises of a shared store: leases by the server's clock, fencing epochs, durable inboxes.</summary>
public abstract class ClusterStoreConformance<TStores>(TStores stores) : IClassFixture<TStores>, IAsyncLifetime
    where TStores : StoreFixture
{
    /// <summary>A lease that no busy machine lets run out.</summary>
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(300);
    private readonly NodeIdentity _first = new(Guid.CreateVersion7(), "first");
    private readonly NodeIdentity _second = new(Guid.CreateVersion7(), "second");
    private IWorkflowStore? _opened;

    private IWorkflowStore Store =>
        _opened ?? throw new InvalidOperationException("The test has not been initialised.");
    private IClusterStore Cluster =>
        Store.Cluster ?? throw new InvalidOperationException($"{Store.Description} cannot be shared.");

    public async ValueTask InitializeAsync()
    {
        _opened = (await stores.CreateAsync(Cancel))();
        await _opened.OpenAsync(Cancel);
    }

    public async ValueTask DisposeAsync()
    {
        if (_opened is not null)
        {
            await _opened.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Lane_has_one_owner_until_its_lease_expires()
    {
        await JoinAsync(4, Long);

        Assert.Equal([0, 1], (await Cluster.ClaimAsync(_first.Id, [0, 1], Long, Cancel)).Order());
        Assert.Equal([2], await Cluster.ClaimAsync(_second.Id, [0, 1, 2], Long, Cancel));

        var view = await Cluster.RenewAsync(_second.Id, Long, Cancel);
        Assert.Equal(4, view.LaneCount);
        Assert.Equal([_first.Id, _first.Id, _second.Id, null], view.Lanes.Select(l => l.Owner));
        Assert.All(view.Lanes.Take(3), l => Assert.InRange(l.Left, TimeSpan.FromSeconds(1), Long));
        Assert.All(view.Lanes.Skip(3), l => Assert.True(l.Left <= TimeSpan.Zero));
        Assert.Equal(["first", "second"], view.Nodes.Where(n => n.IsLive).Select(n => n.Name));
    }

    [Fact]
    public async Task Lease_without_renewal_expires_and_is_claimed_once()
    {
        await JoinAsync(1, Long);
        await Cluster.RenewAsync(_first.Id, Short, Cancel);
        Assert.Single(await Cluster.ClaimAsync(_first.Id, [0], Short, Cancel));

        // Claimed again where the machine let the short lease run out before it was renewed.
        await Eventually.BecomesAsync(
            async () =>
            {
                await Cluster.ClaimAsync(_first.Id, [0], Short, Cancel);
                return await Cluster.RenewAsync(_first.Id, Long, Cancel);
            },
            renewed => renewed.Lanes[0].Left > Short,
            renewed => $"a renewed lease; it is {renewed.Lanes[0]}");
        await Task.Delay(Short + Short, Cancel);
        Assert.Empty(await Cluster.ClaimAsync(_second.Id, [0], Long, Cancel));

        await Cluster.RenewAsync(_first.Id, Short, Cancel);
        await Task.Delay(Short + Short, Cancel);
        var view = await Cluster.RenewAsync(_second.Id, Long, Cancel);
        Assert.False(view.Nodes.Single(n => n.Id == _first.Id).IsLive);
        Assert.True(view.Lanes[0].Left <= TimeSpan.Zero);
        var third = new NodeIdentity(Guid.CreateVersion7(), "third");
        await Cluster.JoinAsync(third, 1, Long, Cancel);
        var claims = await Task.WhenAll(
            Cluster.ClaimAsync(_second.Id, [0], Long, Cancel), Cluster.ClaimAsync(third.Id, [0], Long, Cancel));
        Assert.Single(claims.SelectMany(c => c));
    }

    [Fact]
    public async Task Former_owner_is_fenced_by_the_claim()
    {
        await JoinAsync(1, Long);
        await Cluster.ClaimAsync(_first.Id, [0], Long, Cancel);
        await using var former = await Store.OpenLaneAsync(new(0, 1) { Node = _first.Id }, Cancel);
        await former.LoadAsync(Cancel);
        await former.FlushAsync(StoreRows.Batch(1), Cancel);
        await Cluster.RenewAsync(_first.Id, Short, Cancel);
        await Task.Delay(Short + Short, Cancel);
        Assert.Single(await Cluster.ClaimAsync(_second.Id, [0], Long, Cancel));

        var late = StoreRows.Batch(2);
        late.Instances.Add(StoreRows.New(StoreRows.Instance(Guid.CreateVersion7(StoreRows.Now), 1)));
        var error = await Assert.ThrowsAsync<FlushException>(() => former.FlushAsync(late, Cancel));

        Assert.Equal(FlushFailure.Fenced, error.Failure);
        await Assert.ThrowsAsync<LaneMovedException>(() => former.LoadAsync(Cancel));
        await using var owner = await Store.OpenLaneAsync(new(0, 1) { Node = _second.Id }, Cancel);
        Assert.Equal(1, (await owner.LoadAsync(Cancel)).LastBatch);
        await owner.FlushAsync(StoreRows.Batch(2), Cancel);
        Assert.Empty(await Store.ListInstancesAsync(new(), Cancel));
    }

    [Fact]
    public async Task Node_that_has_left_never_claims_again()
    {
        await JoinAsync(2, Long);
        await Cluster.ClaimAsync(_first.Id, [0, 1], Long, Cancel);

        await Cluster.LeaveAsync(_first.Id, Cancel);

        var view = await Cluster.RenewAsync(_second.Id, Long, Cancel);
        Assert.Equal(["second"], view.Nodes.Where(n => n.IsLive).Select(n => n.Name));
        Assert.All(view.Lanes, l => Assert.Null(l.Owner));
        await Cluster.RenewAsync(_first.Id, Long, Cancel);
        Assert.Empty(await Cluster.ClaimAsync(_first.Id, [0, 1], Long, Cancel));
        Assert.Equal([0, 1], (await Cluster.ClaimAsync(_second.Id, [0, 1], Long, Cancel)).Order());
    }

    [Fact]
    public async Task Only_the_owner_can_release_its_lane()
    {
        await JoinAsync(2, Long);
        await Cluster.ClaimAsync(_first.Id, [0, 1], Long, Cancel);

        await Cluster.ReleaseAsync(_second.Id, [0, 1], Cancel);
        Assert.Empty(await Cluster.ClaimAsync(_second.Id, [0, 1], Long, Cancel));
        await Cluster.ReleaseAsync(_first.Id, [1], Cancel);

        Assert.Equal([1], await Cluster.ClaimAsync(_second.Id, [0, 1], Long, Cancel));
    }

    [Fact]
    public async Task Only_a_sole_node_changes_the_number_of_lanes()
    {
        await Cluster.JoinAsync(_first, 2, Long, Cancel);
        await Cluster.ClaimAsync(_first.Id, [0, 1], Long, Cancel);
        await using var former = await Store.OpenLaneAsync(new(1, 2) { Node = _first.Id }, Cancel);
        await former.LoadAsync(Cancel);

        var error = await Assert.ThrowsAsync<LaneCountMismatchException>(
            () => Cluster.JoinAsync(_second, 3, Long, Cancel));
        Assert.Equal(2, error.Current);
        AssertHolds(error.Message, "first", "3 lanes", "work with 2");

        await Cluster.RenewAsync(_first.Id, Short, Cancel);
        await Task.Delay(Short + Short, Cancel);
        await Cluster.JoinAsync(_second, 3, Long, Cancel);
        var view = await Cluster.RenewAsync(_second.Id, Long, Cancel);
        Assert.Equal((3, 3), (view.LaneCount, view.Lanes.Count));
        Assert.All(view.Lanes, l => Assert.Null(l.Owner));
        var late = await Assert.ThrowsAsync<FlushException>(() => former.FlushAsync(StoreRows.Batch(1), Cancel));
        Assert.Equal(FlushFailure.Fenced, late.Failure);
    }

    [Fact]
    public async Task Message_stays_in_the_inbox_until_its_flush()
    {
        await JoinAsync(2, Long);
        PendingRow[] messages =
        [
            Message(partition: 3, position: 7), Message(partition: 1, position: 5), Message(partition: 2, position: 6),
        ];
        Assert.Empty(await Cluster.PutAsync([.. messages.Select(m => new InboxMessage(m))], Cancel));

        Assert.Equal([messages[1], messages[0]], await Cluster.ReadInboxAsync([new(1, 2)], 10, Cancel));
        Assert.Equal([messages[1]], await Cluster.ReadInboxAsync([new(1, 2)], 1, Cancel));
        Assert.Equal(3, (await Cluster.ReadInboxAsync([new(0, 2), new(1, 2)], 10, Cancel)).Count);

        await Cluster.ClaimAsync(_first.Id, [1], Long, Cancel);
        await using var owner = await Store.OpenLaneAsync(new(1, 2) { Node = _first.Id }, Cancel);
        Assert.Equal([messages[1], messages[0]], (await owner.LoadAsync(Cancel)).Pending);
        var batch = StoreRows.Batch(1);
        batch.PendingRemoved.Add(messages[0].Id);

        // An inbox holds only messages, regardless of what else waits in the lane.
        batch.Pending.Add(StoreRows.Signal(Guid.CreateVersion7(StoreRows.Now), position: 1) with { Partition = 1 });
        batch.Replies.Add(new(messages[0].Id, """{"result":true}""", StoreRows.Now));
        await owner.FlushAsync(batch, Cancel);

        Assert.Equal([messages[1]], await Cluster.ReadInboxAsync([new(1, 2)], 10, Cancel));
        Assert.Equal([batch.Replies[0]], await Cluster.TakeRepliesAsync([messages[0].Id, messages[1].Id], Cancel));
        Assert.Empty(await Cluster.TakeRepliesAsync([messages[0].Id], Cancel));
    }

    [Fact]
    public async Task Idempotency_key_admits_one_of_many_concurrent_messages()
    {
        await JoinAsync(1, Long);
        var attempts = Enumerable.Range(0, 40).Select(i => (Key: $"signal:{i % 4}", Row: Message(0, i))).ToArray();

        var stored = await Task.WhenAll(attempts.Chunk(5)
            .Select(chunk => Cluster.PutAsync(
                [.. chunk.Select(a => new InboxMessage(a.Row, KeyOf(a.Key, a.Row.Id)))], Cancel)));

        var inbox = await Cluster.ReadInboxAsync([new(0, 1)], 100, Cancel);
        Assert.Equal(4, inbox.Count);
        var winners = stored.SelectMany(s => s).DistinctBy(k => k.Key).ToDictionary(k => k.Key, k => k.ResultId);
        Assert.Equal(winners.Values.Order(), inbox.Select(m => m.Id).Order());
        Assert.All(stored.SelectMany(s => s), k => Assert.Equal(winners[k.Key], k.ResultId));
    }

    [Fact]
    public async Task View_shows_how_far_definitions_and_streams_have_come()
    {
        await Store.AddDefinitionAsync(new("order", 1, "hash", "{}", StoreRows.Now), Cancel);
        await JoinAsync(2, Long);
        Assert.Equal(1, (await Cluster.RenewAsync(_first.Id, Long, Cancel)).LastDefinition);
        foreach (var name in new[] { "invoice", "order", "invoice" })
        {
            await Store.AddDefinitionAsync(new(name, 1, "hash", "{}", StoreRows.Now), Cancel);
        }

        await Cluster.ClaimAsync(_first.Id, [1], Long, Cancel);
        await using var owner = await Store.OpenLaneAsync(new(1, 2) { Node = _first.Id }, Cancel);
        await owner.LoadAsync(Cancel);
        await owner.FlushAsync(StoreRows.Batch(1, 1, b => b.Events.Add(StoreRows.Event(1, stream: 1))), Cancel);

        var view = await Cluster.RenewAsync(_second.Id, Long, Cancel);

        Assert.Equal(2, view.LastDefinition);
        Assert.Equal([0L, 1L], view.Lanes.Select(l => l.LastSequence));
        Assert.Equal(new Dictionary<int, long> { [0] = 0, [1] = 1 }, await Cluster.ReadStreamEndsAsync(Cancel));
    }

    private async Task JoinAsync(int lanes, TimeSpan lease)
    {
        await Cluster.JoinAsync(_first, lanes, lease, Cancel);
        await Cluster.JoinAsync(_second, lanes, lease, Cancel);
    }

    private static PendingRow Message(short partition, long position) =>
        StoreRows.Message(Guid.CreateVersion7(StoreRows.Now.AddTicks(position)), position, partition);

    private static IdempotencyRow KeyOf(string key, Guid result) => new(key, "hash", result, StoreRows.Now);
}
