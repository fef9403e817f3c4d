namespace Workflow.Abstractions.Notifications;

/// <summary>
/// A kind of notifications between nodes that a host can be configured with. The adapter does not connect.
/// </summary>
public interface INotifierAdapter
{
    /// <summary>
    /// <see cref="Provider"/> of notifications that belong to one kind of store and go over its server.
    /// </summary>
    const string Native = "Native";

    /// <summary>
    /// The value of <c>WorkflowSignalDriver:Provider</c>; <see cref="Native"/> if <see cref="Store"/> is set.
    /// </summary>
    string Provider { get; }

    /// <summary>
    /// The store whose native notifications these are, by its <c>WorkflowBackend:Provider</c>; null for every store.
    /// </summary>
    string? Store { get; }

    /// <summary>
    /// An example connection string for messages. Null for native notifications, which use the connection of the store.
    /// </summary>
    string? ExampleConnectionString { get; }

    /// <summary>Describes what is wrong with a connection string without quoting it; null if it is valid.</summary>
    string? FindConnectionProblem(string? connectionString);

    /// <summary>Creates a notifier, which connects when it begins to listen.</summary>
    /// <param name="services">Provides <see cref="TimeProvider"/>, logging and what else the adapter needs.</param>
    /// <exception cref="ArgumentException">The settings are wrong; the message has no password.</exception>
    INotifier Create(NotifierSettings settings, IServiceProvider services);
}
