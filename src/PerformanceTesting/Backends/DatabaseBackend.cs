namespace PerformanceTesting.Backends;

/// <summary>A profile whose store lives on a database server.</summary>
/// <param name="driver">Notifies the nodes.</param>
public abstract class DatabaseBackend<TServer>(string name, ServerProvider provider, SignalDriver driver) : Backend
    where TServer : BackendServer
{
    public sealed override string Name => name;

    public sealed override IReadOnlyList<ServerProvider> Servers { get; } = [provider, .. driver.Servers];

    public sealed override async Task<BackendInfo> DescribeAsync(CancellationToken cancellationToken)
    {
        var server = GetServer<TServer>();
        var settings = await server.ReadSettingsAsync(cancellationToken);
        var store = new BackendInfo
        {
            Product = server.Kind.Product,
            Version = settings.Version,
            Durability = settings.Durability,
            Provision = server.Description,
            Settings = settings.Settings,
        };
        return await driver.DescribeAsync(store, this, cancellationToken);
    }

    public sealed override Task<CeilingsResult> MeasureCeilingsAsync(CancellationToken cancellationToken) =>
        MeasureCeilingsAsync(GetServer<TServer>(), cancellationToken);

    public sealed override Task<BackendDatabase> CreateDatabaseAsync(
        string purpose, CancellationToken cancellationToken) =>
        CreateDatabaseAsync(GetServer<TServer>(), driver.Open(this), purpose, cancellationToken);

    protected abstract Task<CeilingsResult> MeasureCeilingsAsync(TServer server, CancellationToken cancellationToken);

    protected abstract Task<BackendDatabase> CreateDatabaseAsync(
        TServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken);
}
