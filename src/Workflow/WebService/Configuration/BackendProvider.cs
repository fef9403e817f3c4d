namespace Workflow.WebService.Configuration;

/// <summary>Where the engine keeps its state.</summary>
internal enum BackendProvider
{
    /// <summary>In this process; gone when it ends.</summary>
    Memory,

    /// <summary>A PostgreSQL database.</summary>
    Postgres,

    /// <summary>The schema of an Oracle user.</summary>
    Oracle,

    /// <summary>A database of a MongoDB replica set.</summary>
    Mongo,
}
