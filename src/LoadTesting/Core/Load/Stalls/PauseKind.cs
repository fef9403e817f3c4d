namespace LoadTesting.Core.Load.Stalls;

/// <summary>What stood still.</summary>
internal enum PauseKind
{
    /// <summary>The generator's process: a dedicated thread woke late.</summary>
    Process,

    /// <summary>The generator's process, paused by its garbage collector.</summary>
    Collector,

    /// <summary>The generator's thread pool: a work item waited for a thread.</summary>
    Pool,

    /// <summary>The single reader of all events: it worked without a break, and new events waited.</summary>
    Consumer,
}
