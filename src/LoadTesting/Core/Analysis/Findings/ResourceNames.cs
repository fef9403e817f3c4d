namespace LoadTesting.Core.Analysis.Findings;

/// <summary>The resources of the sweep, as results and reports name them.</summary>
public static class ResourceNames
{
    /// <summary>Processors, as the system under test uses them.</summary>
    public const string ServiceCpu = "service CPU";

    /// <summary>Processors, as the backend's processes use them.</summary>
    public const string DatabaseCpu = "database CPU";

    /// <summary>Forcing the backend's log to the disk, and waiting for a turn to.</summary>
    public const string WalFlush = "WAL flush";

    /// <summary>Locks of the backend, on rows and on its own structures.</summary>
    public const string Locks = "locks";

    /// <summary>Reads and writes of the backend's files other than its log.</summary>
    public const string Disk = "disk";

    /// <summary>What else the backend's sessions waited for: the client's next message, another process, time to pass.</summary>
    public const string OtherWaits = "other waits";

    /// <summary>Connections that the system under test may hold to its backend.</summary>
    public const string ConnectionPool = "connection pool";

    /// <summary>Work that waits inside the system under test for its own workers.</summary>
    public const string ServiceQueue = "service queue";

    /// <summary>Pauses of the process for garbage collection.</summary>
    public const string GarbageCollection = "garbage collection";

    /// <summary>The load generator: how late it starts operations.</summary>
    public const string Generator = "generator";

    /// <summary>All of them, in the order in which they are told.</summary>
    public static IReadOnlyList<string> All { get; } =
        [ServiceCpu, DatabaseCpu, WalFlush, Locks, Disk, OtherWaits, ConnectionPool, ServiceQueue, GarbageCollection, Generator];
}
