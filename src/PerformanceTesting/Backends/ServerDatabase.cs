using Workflow.Abstractions.Notifications;

namespace PerformanceTesting.Backends;

/// <summary>A database of a server, with the channel that its nodes are notified over.</summary>
/// <param name="provider"><c>WorkflowBackend:Provider</c> of a web service on it.</param>
/// <param name="channel">How its nodes are notified.</param>
public abstract class ServerDatabase(
    BackendServer server, string provider, string connectionString, SignalChannel channel)
    : BackendDatabase
{
    public sealed override string ConnectionString => connectionString;

    public sealed override IReadOnlyDictionary<string, string> ServiceSettings { get; } =
        new Dictionary<string, string>(channel.ServiceSettings)
        {
            ["WorkflowBackend:Provider"] = provider,
            ["ConnectionStrings:Workflow"] = connectionString,
        };

    public sealed override BackendServer Server => server;
    public sealed override IReadOnlyList<string> Notes => channel.Notes;

    public sealed override INotifier? CreateNotifier(int lanes) => channel.CreateNotifier() ?? CreateOwnNotifier(lanes);

    public sealed override IReadOnlyList<IRunObserver> Observe(bool waitForReports = false) =>
        [Counters(waitForReports), .. channel.Observe()];

    /// <summary>Watches the server's counters.</summary>
    protected abstract IRunObserver Counters(bool waitForReports);

    /// <summary>Notifications by the store itself. Null (the default) if its nodes poll.</summary>
    protected virtual INotifier? CreateOwnNotifier(int lanes) => null;
}
