using IntegrationTests.Mongo.Server;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>A test with its own server, which shows what it received and fails on request.</summary>
public abstract class MongoTest : IAsyncDisposable
{
    private protected InMemoryMongo Server { get; } = new();

    public virtual async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>A first batch with something for every collection that needs nothing before it.</summary>
    protected static FlushBatch Everything()
    {
        var batch = StoreRows.Batch(1, 1);
        var instance = StoreRows.Instance(Guid.NewGuid(), 1);
        batch.Instances.Add(StoreRows.New(instance));
        batch.Pending.Add(StoreRows.Signal(Guid.NewGuid()));
        batch.Pending.Add(StoreRows.Message(Guid.NewGuid()));
        batch.Tasks.Add(StoreRows.Task(Guid.NewGuid(), instance.Id));
        batch.Children.Add(new(instance.Id, Guid.NewGuid()));
        batch.DeadLetters.Add(StoreRows.Letter(Guid.NewGuid(), instance.Id));
        batch.Keys.Add(new("start:a", "hash", instance.Id, StoreRows.Now));
        batch.Events.Add(StoreRows.Event(1));
        return batch;
    }

    /// <summary>The identifier of a document.</summary>
    protected static BsonValue Id(Guid id) => new BsonBinaryData(id, GuidRepresentation.Standard);

    /// <summary>Another store on the same database; an account is written <c>user:password@</c>.</summary>
    protected MongoStore NewStore(TimeProvider? time = null, string account = "") =>
        new(new() { ConnectionString = Server.ConnectionString("flows", account) }, time);

    protected async Task<MongoStore> OpenedStoreAsync(TimeProvider? time = null)
    {
        var store = NewStore(time);
        await store.OpenAsync(Cancel);
        return store;
    }
}
