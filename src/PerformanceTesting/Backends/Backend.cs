namespace PerformanceTesting.Backends;

/// <summary>
/// One profile: a store together with what notifies its nodes. Holds everything that differs between backends. To add
/// one, derive from this class and add an instance to <see cref="BackendCatalog"/>.
/// </summary>
public abstract class Backend
{
    private IReadOnlyList<BackendServer> _started = [];

    /// <summary>
    /// The profile's name as in <c>WORKFLOW_PERF_PROFILES</c>, reports and files; prefix of every scenario's full name.
    /// </summary>
    public abstract string Name { get; }

    /// <summary>The servers it needs, the store's first; none for what lives in the test process.</summary>
    public abstract IReadOnlyList<ServerProvider> Servers { get; }

    /// <summary>
    /// Whether this process keeps every finished instance in memory, so that a long soak would only measure that.
    /// </summary>
    public virtual bool KeepsAllInMemory => false;

    /// <summary>Product, version, durability and settings, read back from the servers.</summary>
    /// <exception cref="BackendException">A server cannot be reached.</exception>
    public abstract Task<BackendInfo> DescribeAsync(CancellationToken cancellationToken);

    /// <summary>What lies below any system on these servers; takes some seconds.</summary>
    public abstract Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken);

    /// <summary>Creates an empty database for one system under test.</summary>
    /// <param name="purpose">Readable part of the database's name; equal ones do not clash.</param>
    /// <exception cref="BackendException">The server refuses.</exception>
    public abstract Task<BackendDatabase> CreateDatabaseAsync(string purpose, CancellationToken cancellationToken);

    /// <summary>The started server of a type.</summary>
    /// <exception cref="InvalidOperationException">
    /// <see cref="Servers"/> does not list it, or <see cref="BackendCatalog.OpenAsync"/> has not opened the backend.
    /// </exception>
    public TServer GetServer<TServer>()
        where TServer : BackendServer =>
        _started.OfType<TServer>().FirstOrDefault() ?? throw new InvalidOperationException(
            $"'{Name}' has no started {typeof(TServer).Name}: list it in {nameof(Servers)}, and open the backend with "
            + $"{nameof(BackendCatalog)}.{nameof(BackendCatalog.OpenAsync)}.");

    internal Backend UseServers(IReadOnlyList<BackendServer> started)
    {
        _started = started;
        return this;
    }
}
