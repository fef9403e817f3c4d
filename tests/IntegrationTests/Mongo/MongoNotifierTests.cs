using System.Threading.Channels;
using PerformanceTesting.Backends.MongoDb;
using Workflow.Abstractions.Stores;

namespace IntegrationTests.Mongo;

/// <summary>Notifications over a change stream of a real server, where one is available.</summary>
[Trait("Category", "Integration")]
public sealed class MongoNotifierTests(BackendFixture backends)
{
    [Fact]
    public async Task Message_that_is_put_into_an_inbox_wakes_its_lane()
    {
        await backends.Catalog.RequireOrSkipAsync("mongo", Cancel);
        var server = await backends.Catalog.MongoAsync(Cancel);
        var database = server.NewDatabase();
        await using var store = server.CreateStore(database);
        await store.OpenAsync(Cancel);
        var woken = Channel.CreateUnbounded<int>();
        await using var notifier = server.CreateNotifier(database, lanes: 4);
        await notifier.ListenAsync(lane => woken.Writer.TryWrite(lane), Cancel);

        await store.Cluster!.PutAsync(
            [new InboxMessage(StoreRows.Message(Guid.CreateVersion7(), partition: 6))], Cancel);

        Assert.Equal(2, await woken.Reader.ReadAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        await server.DropDatabaseAsync(database, Cancel);
    }
}
