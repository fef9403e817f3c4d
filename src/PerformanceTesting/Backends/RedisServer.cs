namespace PerformanceTesting.Backends;

/// <summary>A Redis server shared by the tests of one process; each test takes a channel or keys of its own.</summary>
public abstract class RedisServer : BackendServer
{
    public sealed override ServerKind Kind => ServerKind.Redis;

    /// <summary>Version and settings as CONFIG GET tells them.</summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public sealed override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using var session = await RedisSession.OpenAsync(ConnectionString, cancellationToken);
            return await RedisSettings.ReadAsync(session, cancellationToken);
        }
        catch (Exception exception) when (RedisSession.IsRefusal(exception))
        {
            throw new BackendException($"{Description} does not tell its settings: {exception.Message}{Environment.NewLine}{LogTail}", exception);
        }
    }
}
