namespace LoadTesting.Core.Analysis.Findings;

/// <summary>The resources of the sweep, as results and reports name them.</summary>
public static class ResourceNames
{
    /// <summary>Times in which nothing completed: taken out before anything else is divided up.</summary>
    public const string Stalls = "stalls";

    /// <summary>Processors, as the system under test uses them.</summary>
    public const string ServiceCpu = "service CPU";

    /// <summary>Processors, as the backend's processes use them.</summary>
    public const string DatabaseCpu = "database CPU";

    /// <summary>Processors that other processes used while threads of operations were ready to run.</summary>
    public const string OtherProcesses = "other processes";

    /// <summary>The runtime's compiler on the threads of operations, as in a service that has just started.</summary>
    public const string Compilation = "compilation";

    /// <summary>Pauses of the process for garbage collection.</summary>
    public const string GarbageCollection = "garbage collection";

    /// <summary>Flushing the backend's log to disk, and waiting for the flush.</summary>
    public const string WalFlush = "WAL flush";

    /// <summary>Locks of the backend, on rows and on its own structures.</summary>
    public const string Locks = "locks";

    /// <summary>Reads and writes of the backend's files other than its log.</summary>
    public const string Disk = "disk";

    /// <summary>Other waits of the backend's sessions: the client's next message, another process, a timer.</summary>
    public const string OtherWaits = "other waits";

    /// <summary>Connections that the system under test may hold to its backend.</summary>
    public const string ConnectionPool = "connection pool";

    /// <summary>Work that waits inside the system under test for its own workers.</summary>
    public const string ServiceQueue = "service queue";

    /// <summary>The way of an event from the commit to the consumer: transport and broker.</summary>
    public const string EventDelivery = "event delivery";

    /// <summary>The consumer of events, which works on one while the next ones wait.</summary>
    public const string EventConsumer = "event consumer";

    /// <summary>
    /// Waits in the system under test for anything else, such as a timer, a lock inside the service or a call to a
    /// third system. Found by elimination.
    /// </summary>
    public const string ServiceWaits = "waits in the service";

    /// <summary>The load generator: how late it starts operations.</summary>
    public const string Generator = "generator";

    /// <summary>All of them, in the order of reports.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        Stalls, ServiceCpu, DatabaseCpu, OtherProcesses, Compilation, GarbageCollection, WalFlush, Locks, Disk,
        OtherWaits, ConnectionPool,
        ServiceQueue, EventDelivery, EventConsumer, ServiceWaits, Generator,
    ];

    private static readonly Dictionary<string, int> Places =
        All.Index().ToDictionary(place => place.Item, place => place.Index, StringComparer.Ordinal);

    /// <summary>Its place among <see cref="All"/>; a name that is not among them comes first.</summary>
    internal static int PlaceOf(string name) => Places.GetValueOrDefault(name, -1);
}
