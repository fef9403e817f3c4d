namespace Workflow.Abstractions.Stores;

/// <summary>A kind of store that a host can be configured with. The adapter does not connect to a server.</summary>
public interface IStoreAdapter
{
    /// <summary>The value of <c>WorkflowBackend:Provider</c>.</summary>
    string Provider { get; }

    /// <summary>
    /// An example connection string for messages. Null if the store needs none, because no other node shares it.
    /// </summary>
    string? ExampleConnectionString { get; }

    /// <summary>Why <c>WorkflowBackend:Schema</c> is not supported, as a relative clause; null if it is.</summary>
    string? SchemaUnsupportedReason { get; }

    /// <summary>Why removal of finished instances is not supported, as a relative clause; null if it is.</summary>
    string? RemovalUnsupportedReason => null;

    /// <summary>Describes what is wrong with a connection string without quoting it; null if it is valid.</summary>
    string? FindConnectionProblem(string connectionString);

    /// <exception cref="ArgumentException">The settings are wrong; the message has no password.</exception>
    IWorkflowStore Create(StoreSettings settings);
}
