namespace Workflow.Stores.MongoDb;

/// <summary>Settings of a MongoDB store.</summary>
public sealed record MongoStoreOptions
{
    /// <summary>
    /// Connection string of a replica set, e.g. <c>mongodb://user:password@127.0.0.1:27017/workflow?replicaSet=rs0</c>.
    /// The database is the one it names, <c>workflow</c> where it names none; engines on one database share its lanes.
    /// Concerns, retries and time limits in it are overridden.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>How long a flush may take before the server counts as gone. Default 20 s.</summary>
    public TimeSpan FlushTimeout { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Without the connection string, which may hold a password.</summary>
    public override string ToString() => $"{nameof(MongoStoreOptions)} {{ {nameof(FlushTimeout)} = {FlushTimeout} }}";
}
