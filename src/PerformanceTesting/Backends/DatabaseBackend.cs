using Workflow.Abstractions.Notifications;

namespace PerformanceTesting.Backends;

/// <summary>A profile whose store lives on a database server.</summary>
/// <param name="driver">Notifies the nodes.</param>
public abstract class DatabaseBackend<TServer>(string name, ServerProvider provider, SignalDriver driver) : Backend
    where TServer : BackendServer
{
    public sealed override string Name => name;

    public sealed override IReadOnlyList<ServerProvider> Servers { get; } = [provider, .. driver.Servers];

    public sealed override async Task<BackendInfo> DescribeAsync(ServerSet servers, CancellationToken cancellationToken)
    {
        var server = servers.Get<TServer>();
        var settings = await server.ReadSettingsAsync(cancellationToken);
        var store = new BackendInfo
        {
            Product = server.Kind.Product,
            Version = settings.Version,
            Durability = settings.Durability,
            Provision = server.Description,
            Settings = settings.Settings,
        };
        return await driver.DescribeAsync(store, servers, cancellationToken);
    }

    public sealed override Task<CeilingsResult> MeasureCeilingsAsync(ServerSet servers, CancellationToken cancellationToken) =>
        MeasureCeilingsAsync(servers.Get<TServer>(), cancellationToken);

    public sealed override Task<BackendDatabase> CreateDatabaseAsync(
        ServerSet servers, string purpose, CancellationToken cancellationToken) =>
        CreateDatabaseAsync(servers.Get<TServer>(), driver.Open(servers), purpose, cancellationToken);

    protected abstract Task<CeilingsResult> MeasureCeilingsAsync(TServer server, CancellationToken cancellationToken);

    protected abstract Task<BackendDatabase> CreateDatabaseAsync(
        TServer server, SignalChannel channel, string purpose, CancellationToken cancellationToken);
}

/// <summary>A database of a server, with the channel that its nodes are notified over.</summary>
/// <param name="provider"><c>WorkflowBackend:Provider</c> of a web service on it.</param>
/// <param name="channel">How its nodes are notified.</param>
public abstract class ServerDatabase(BackendServer server, string provider, string connectionString, SignalChannel channel)
    : BackendDatabase
{
    public sealed override string ConnectionString => connectionString;

    public sealed override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
        new Dictionary<string, string>(channel.ServiceSettings)
        {
            ["WorkflowBackend:Provider"] = provider,
            ["ConnectionStrings:Workflow"] = connectionString,
        };

    public sealed override ServerUnderWatch Watched => ServerUnderWatch.Of(server);
    public sealed override IReadOnlyList<string> Notes => channel.Notes;

    public sealed override INotifier? CreateNotifier(int lanes) => channel.CreateNotifier() ?? CreateOwnNotifier(lanes);
    public sealed override IReadOnlyList<IRunObserver> Observe(ObservationOptions options) => [Counters(options), .. channel.Observe()];

    /// <summary>Watches the server's counters.</summary>
    protected abstract IRunObserver Counters(ObservationOptions options);

    /// <summary>Notifications by the store itself; null where its nodes look for themselves.</summary>
    protected virtual INotifier? CreateOwnNotifier(int lanes) => null;
}
