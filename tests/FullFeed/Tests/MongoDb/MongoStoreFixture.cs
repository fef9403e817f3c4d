using MongoDB.StandIn;
using Workflow.Stores.MongoDb;

namespace FullFeed.Tests.MongoDb;

/// <summary>
/// Contents on a server in this process: one of its own for each test, so that its clock and its failures are the test's.
/// </summary>
public sealed class MongoStoreFixture : StoreFixture
{
    private static int _servers;

    public override Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
    {
        var (connectionString, _) = NewServer();
        return Task.FromResult<Func<IWorkflowStore>>(() => new MongoStore(new() { ConnectionString = connectionString }));
    }

    internal static (string ConnectionString, FakeServer Server) NewServer()
    {
        var address = $"mongo-{Interlocked.Increment(ref _servers)}.test:27017";
        return ($"mongodb://ann:s3cret@{address}/flows?replicaSet=rs0", FakeServer.At(address));
    }
}
