using System.Data.Common;

namespace Workflow.Abstractions.Stores;

/// <summary>
/// One kind of store, as a host offers it in its configuration. Nothing here connects to a server.
/// </summary>
public interface IStoreAdapter
{
    /// <summary>Its name in <c>WorkflowBackend:Provider</c>.</summary>
    string Provider { get; }

    /// <summary>What a connection string looks like, for messages. Null where none is needed: no other node shares the store.</summary>
    string? ExampleConnectionString { get; }

    /// <summary>Why <c>WorkflowBackend:Schema</c> cannot be chosen, as a relative clause; null where it can.</summary>
    string? WhyNoSchema { get; }

    /// <summary>Why finished instances cannot be removed, as a relative clause; null where they can.</summary>
    string? WhyNoRemoval => null;

    /// <summary>What is wrong with a connection string, without repeating any of it; null when it can be read.</summary>
    string? WhyUnusable(string connectionString);

    /// <exception cref="ArgumentException">The settings are wrong; the message has no password.</exception>
    IWorkflowStore Create(StoreSettings settings);
}

/// <summary>What a host's settings say of the store. Not a record: it would print the password.</summary>
public sealed class StoreSettings
{
    /// <summary>Null only where <see cref="IStoreAdapter.ExampleConnectionString"/> is null.</summary>
    public string? ConnectionString { get; init; }

    /// <summary>Ignored where <see cref="IStoreAdapter.WhyNoSchema"/> gives a reason.</summary>
    public string Schema { get; init; } = "workflow";

    /// <summary>Checks a connection string of the usual form without repeating any of it: it may hold the password.</summary>
    public static string? WhyNoPairs(string connectionString)
    {
        try
        {
            _ = new DbConnectionStringBuilder { ConnectionString = connectionString };
            return null;
        }
        catch (ArgumentException)
        {
            return "is not a list of key=value pairs divided by semicolons";
        }
    }
}
