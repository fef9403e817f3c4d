namespace PerformanceTesting.Backends;

/// <summary>
/// A server of any kind, shared by the tests of one process. What an implementer must keep: no secret in
/// <see cref="Description"/>, and nothing left behind by <see cref="DisposeAsync"/> or by the end of this process.
/// </summary>
public abstract class BackendServer(ServerHost host) : IAsyncDisposable
{
    public abstract ServerKind Kind { get; }

    /// <summary>How a client reaches it, in the words of its driver, password included.</summary>
    public abstract string ConnectionString { get; }

    /// <summary>Where it runs, and what can be done to it there.</summary>
    public ServerHost Host => host;

    public string Description => host.Description;

    /// <summary>Version and settings as the server itself gives them, with the durability class.</summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public abstract Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken);

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return host.DisposeAsync();
    }

    /// <exception cref="BackendException">
    /// A server that was started here may lose what it acknowledged, by its settings.
    /// </exception>
    protected async Task RequireDurableAsync(string advice, CancellationToken cancellationToken)
    {
        var settings = await ReadSettingsAsync(cancellationToken);
        if (settings.Shortfalls.Count > 0)
        {
            throw new BackendException($"{Description} was configured durable but says it is "
                + $"{settings.Durability}{advice}.");
        }
    }
}
