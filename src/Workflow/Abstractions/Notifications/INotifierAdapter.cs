namespace Workflow.Abstractions.Notifications;

/// <summary>One kind of notifications between nodes, as a host offers it in its configuration. Nothing here connects.</summary>
public interface INotifierAdapter
{
    /// <summary><see cref="Provider"/> of notifications that belong to one kind of store and go over its server.</summary>
    const string Native = "Native";

    /// <summary>Its name in <c>WorkflowSignalDriver:Provider</c>; <see cref="Native"/> where <see cref="Store"/> is set.</summary>
    string Provider { get; }

    /// <summary>The store whose native notifications these are, by its <c>WorkflowBackend:Provider</c>; null for every store.</summary>
    string? Store { get; }

    /// <summary>What a connection string looks like, for messages. Null for native notifications, which have the store's.</summary>
    string? ExampleConnectionString { get; }

    /// <summary>What is wrong with a connection string, without repeating any of it; null when it can be read.</summary>
    string? WhyUnusable(string? connectionString);

    /// <summary>Makes notifications that connect when they are listened to.</summary>
    /// <param name="services">Where time and logging come from: <see cref="TimeProvider"/>, and what the assembly of the adapter
    /// needs.</param>
    /// <exception cref="ArgumentException">The settings are wrong; the message has no password.</exception>
    INotifier Create(NotifierSettings settings, IServiceProvider services);
}

/// <summary>What a host's settings say of notifications. Not a record: it would print the password.</summary>
public sealed class NotifierSettings
{
    /// <summary>Their own (<c>ConnectionStrings:</c> and the provider's name), or the store's for native ones.</summary>
    public required string ConnectionString { get; init; }

    /// <summary>How many lanes the cluster has.</summary>
    public required int Lanes { get; init; }

    /// <summary>First part of the name of a channel.</summary>
    public string ChannelPrefix { get; init; } = "workflow";

    /// <summary>Last part of the name of a channel, the same in all nodes of a cluster: the store's schema.</summary>
    public string Cluster { get; init; } = "workflow";
}
