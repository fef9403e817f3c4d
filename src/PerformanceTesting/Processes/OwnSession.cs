namespace PerformanceTesting.Processes;

/// <summary>
/// A command in a session of its own, where the system can do that: Ctrl+C in the terminal then reaches the run, which
/// ends its load in order, and not the servers under it.
/// </summary>
internal static class OwnSession
{
    private const string Program = "/usr/bin/setsid";

    /// <summary>The command to start in its place; the process keeps its id.</summary>
    public static IReadOnlyList<string> Of(params IReadOnlyList<string> command) =>
        OperatingSystem.IsLinux() && File.Exists(Program) ? [Program, .. command] : command;
}
