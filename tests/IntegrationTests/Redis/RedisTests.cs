namespace IntegrationTests.Redis;

/// <summary>What tests with a Redis server share.</summary>
public abstract class RedisTests(BackendFixture fixture)
{
    protected BackendFixture Fixture => fixture;

    /// <summary>The server of the run; skips where there is none.</summary>
    protected async Task<RedisServer> SharedAsync() =>
        (RedisServer)await fixture.Catalog.RequireServerOrSkipAsync(ServerKind.Redis, Cancel);

    /// <summary>A server of the test's own, to be harmed; skips where no program is installed.</summary>
    protected async Task<RedisServer> StartAsync()
    {
        await SharedAsync();
        var binary = RedisNative.FindProgram();
        Assert.SkipWhen(binary is null, $"No redis-server found in {RedisNative.Places}, so none can be harmed.");
        return await RedisServer.StartNativeAsync(binary, cancellationToken: Cancel);
    }
}
