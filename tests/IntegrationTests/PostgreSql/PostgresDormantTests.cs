using Foundation;
using Workflow.Abstractions.Stores;

namespace IntegrationTests.PostgreSql;

/// <summary>Dormant instances across builds and divisions of the lanes.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresDormantTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    private static readonly TimeSpan Lease = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task Schema_of_the_build_before_dormancy_is_upgraded_with_its_rows()
    {
        var options = await stores.OptionsAsync(Cancel);
        var live = Guid.CreateVersion7(StoreRows.Now);
        await ExecuteAsync(
            options,
            $"""
            create schema {options.Schema};
            set search_path = {options.Schema};
            create table workflow_schema (version integer primary key, applied_utc timestamptz not null default now());
            insert into workflow_schema (version) values (1);
            {SchemaFile.Of(typeof(PostgresStore).Assembly)[0].Text};
            insert into lanes values (0, 3);
            insert into batches values (0, 7, 9, 8);
            insert into instances select '{live}', 0, 'd', 1, 5, 1, null, '', 'old\n', '{StoreRows.Now:O}', '{StoreRows.Now:O}'
            """);

        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        var snapshot = await lane.LoadAsync(Cancel);

        Assert.Equal((7L, 9L, 8L, 0L), (
            snapshot.LastBatch, snapshot.LastSequence, snapshot.PublishedSequence, snapshot.LastPosition));
        Assert.Equal(live, Assert.Single(await lane.ReadInstancesAsync(StoreRows.EveryPartition, Cancel)).Id);
        await lane.FlushAsync(StoreRows.Batch(8, b => b.Dormant.Add(new(live, 5, null, []))), Cancel);
        Assert.Equal(live, Assert.Single(await lane.Dormant.FindAsync(new() { Instances = [live] }, Cancel)).Id);
    }

    /// <summary>A node that had opened the schema before the newer build did still runs.</summary>
    [Fact]
    public async Task Batch_of_an_earlier_build_is_refused_once_an_instance_is_dormant()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);

        await ExecuteAsync(options, EarlierBatch(1));
        var id = Guid.CreateVersion7(StoreRows.Now);
        await lane.FlushAsync(
            StoreRows.Batch(2, b => b.Instances.Add(StoreRows.New(StoreRows.Instance(id, 1)))), Cancel);
        await lane.FlushAsync(StoreRows.Batch(3, b => b.Dormant.Add(new(id, 1, null, []))), Cancel);

        var error = await Assert.ThrowsAsync<PostgresException>(() => ExecuteAsync(options, EarlierBatch(4)));
        Assert.Equal("WF001", error.SqlState);
        Assert.Contains("use the build of the other nodes", error.MessageText, StringComparison.Ordinal);
        Assert.Equal(3, (await lane.LoadAsync(Cancel)).LastBatch);

        string EarlierBatch(int number) =>
            $"""
            insert into {options.Schema}.batches (lane, number, last_sequence, published_sequence)
            values (0, {number}, 0, 0)
            """;
    }

    /// <summary>
    /// While two lanes shared the partitions, the second made an instance dormant, and the first wrote no batch: its
    /// last one looks as if nothing had changed since.
    /// </summary>
    [Fact]
    public async Task Counts_are_not_those_of_an_earlier_division_into_as_many_lanes()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var store = new PostgresStore(options);
        await store.OpenAsync(Cancel);
        var id = Guid.CreateVersion7(StoreRows.Now);
        await DivideAsync(1);
        await using (var all = await store.OpenLaneAsync(new(0, 1), Cancel))
        {
            await all.LoadAsync(Cancel);
            await all.FlushAsync(
                StoreRows.Batch(1, b => b.Instances.Add(
                    StoreRows.New(StoreRows.Instance(id, 1) with { Partition = 1 }))), Cancel);
        }

        await DivideAsync(2);
        await using (var odd = await store.OpenLaneAsync(new(1, 2), Cancel))
        {
            await odd.LoadAsync(Cancel);
            var moves = StoreRows.Batch(1, b => b.Dormant.Add(new(id, 1, null, [])));
            moves.DormantInstances = 1;
            await odd.FlushAsync(moves, Cancel);
        }

        await DivideAsync(1);
        await using var again = await store.OpenLaneAsync(new(0, 1), Cancel);
        Assert.Equal(1, (await again.LoadAsync(Cancel)).DormantInstances);

        async Task DivideAsync(int lanes)
        {
            var node = new NodeIdentity(Guid.CreateVersion7(), $"node of {lanes}");
            await store.Cluster!.JoinAsync(node, lanes, Lease, Cancel);
            await store.Cluster.LeaveAsync(node.Id, Cancel);
        }
    }

    private static Task<object?> ExecuteAsync(PostgresStoreOptions options, string sql) =>
        Statements.ScalarAsync(options.ConnectionString, sql);
}
