namespace Workflow.Stores.Oracle;

/// <summary>Settings of an Oracle store. Its schema is that of the user who connects.</summary>
public sealed record OracleStoreOptions
{
    /// <summary>
    /// Connection string of Oracle's driver, e.g. <c>Data Source=127.0.0.1:1521/FREEPDB1;User
    /// Id=workflow;Password=...</c>. Pool settings are the store's own and are overridden.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>Connections for database. Leases and inboxes have three more, each lane one. Default 4.</summary>
    public int SharedConnections { get; init; } = 4;

    /// <summary>
    /// How long a flush may take before the server counts as gone; at least a second. Default 20 s; five more are given
    /// to the driver to say so itself.
    /// </summary>
    public TimeSpan FlushTimeout { get; init; } = TimeSpan.FromSeconds(20);
}
