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

    /// <summary>All of them, in the order of reports.</summary>
    public static IReadOnlyList<string> All { get; } =
        [ServiceCpu, DatabaseCpu, WalFlush, Locks, Disk, OtherWaits, ConnectionPool, ServiceQueue, GarbageCollection, Generator];
}

/// <summary>What to change first where a resource is guilty.</summary>
internal static class Suggestions
{
    public static string For(string resource) => resource switch
    {
        ResourceNames.ServiceCpu => "Profile the service and spend less per operation, or give it more processors.",
        ResourceNames.DatabaseCpu => "Look at the costliest statements (snapshots of the run), save queries or rows per operation, or give "
            + "the server more processors.",
        ResourceNames.WalFlush => "Let more operations share a commit, or put the log on a disk that forces writes faster.",
        ResourceNames.Locks => "Touch shared rows later and for a shorter time, or spread them over more rows.",
        ResourceNames.Disk => "Give the server more memory for its pages, or a faster disk; look for statements that read much.",
        ResourceNames.OtherWaits => "Look up the waits by their names in the server's manual: the server was kept waiting by something "
            + "that is none of its own resources.",
        ResourceNames.ConnectionPool => "Hold connections for a shorter time, or allow more of them.",
        ResourceNames.ServiceQueue => "Let the service work on more at a time (more workers or lanes); none of its resources is full.",
        ResourceNames.GarbageCollection => "Allocate less per operation, or use the server collector with more memory.",
        ResourceNames.Generator =>
            "Do not act on this run: lower the rate, unblock the generator's threads, or give it a machine of its own.",
        _ => throw new ArgumentOutOfRangeException(nameof(resource), resource, "There is no such resource; ResourceNames has them all."),
    };
}
