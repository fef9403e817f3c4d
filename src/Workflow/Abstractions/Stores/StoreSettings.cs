using System.Data.Common;

namespace Workflow.Abstractions.Stores;

/// <summary>The settings of a store. Not a record, because a record would print the password.</summary>
public sealed class StoreSettings
{
    /// <summary>Null only where <see cref="IStoreAdapter.ExampleConnectionString"/> is null.</summary>
    public string? ConnectionString { get; init; }

    /// <summary>Ignored where <see cref="IStoreAdapter.SchemaUnsupportedReason"/> gives a reason.</summary>
    public string Schema { get; init; } = "workflow";

    /// <summary>
    /// Checks a connection string of key=value pairs. Null if it is valid. The description does not quote the string,
    /// which may contain the password.
    /// </summary>
    public static string? FindKeyValueProblem(string connectionString)
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
