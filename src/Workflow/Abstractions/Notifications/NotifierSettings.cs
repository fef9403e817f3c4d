namespace Workflow.Abstractions.Notifications;

/// <summary>The settings of a notifier. Not a record, because a record would print the password.</summary>
public sealed class NotifierSettings
{
    /// <summary>
    /// The connection string of the provider (<c>ConnectionStrings:</c> and its name), or that of the store for native
    /// notifications.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>The number of lanes of the cluster, 1 to 64.</summary>
    public required int Lanes { get; init; }

    /// <summary>The first part of channel names; <c>workflow</c> by default.</summary>
    public string ChannelPrefix { get; init; } = "workflow";

    /// <summary>The last part of channel names: the schema of the store, equal on all nodes of a cluster.</summary>
    public string Cluster { get; init; } = "workflow";
}
