using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.Notifications.Redis;

namespace IntegrationTests.Redis;

/// <summary>The suite of several nodes runs over Redis, one line.</summary>
[Trait("Category", "Integration")]
public class NodesOverRedis(PostgresStoreFixture stores, BackendFixture backends) : NodeConformance<PostgresStoreFixture>(stores)
{
    private readonly string _cluster = $"test-{Guid.NewGuid():N}";

    protected override async Task<INotifier> NotifierAsync()
    {
        var redis = await backends.Catalog.RequireServerOrSkipAsync(ServerKind.Redis, Cancel);
        return new RedisNotifier(
            new() { ConnectionString = redis.ConnectionString, Cluster = _cluster }, TimeProvider.System, NullLoggerFactory.Instance);
    }
}
