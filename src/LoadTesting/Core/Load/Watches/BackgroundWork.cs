namespace LoadTesting.Core.Load.Watches;

/// <summary>
/// Recognises background work, which no operation waits for, by the names of threads and processes. The compiler of a
/// method's first call runs on the calling thread and is not background work; the compiler that optimises later is.
/// </summary>
internal static class BackgroundWork
{
    // The kernel truncates names to 15 characters.
    private static readonly string[] Threads =
    [
        ".NET Tiered Com", ".NET BGC", ".NET Finalizer", ".NET SigHandler", ".NET EventPipe", ".NET SynchManag",
        ".NET TP Gate",
        "load-timeline", "load-generator-", "load-usage", "progress",
    ];

    private static readonly string[] PostgresProcesses =
        ["checkpointer", "background writer", "walwriter", "autovacuum", "logical replication launcher",
            "stats collector", "archiver",
            "logger"];

    /// <summary>Whether a thread does background work.</summary>
    /// <param name="name">Its name as in <c>/proc/&lt;id&gt;/task/&lt;id&gt;/comm</c>.</param>
    public static bool IsThread(string name) => Threads.Contains(name.TrimEnd('\n'), StringComparer.Ordinal);

    /// <summary>Whether a server process does background work.</summary>
    /// <param name="commandLine">Its command line as in <c>/proc/&lt;id&gt;/cmdline</c>.</param>
    public static bool IsProcess(string commandLine) => commandLine.StartsWith("postgres:", StringComparison.Ordinal)
        && PostgresProcesses.Any(name => commandLine.Contains(name, StringComparison.Ordinal));
}
