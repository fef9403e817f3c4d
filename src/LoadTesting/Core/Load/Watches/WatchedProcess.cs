namespace LoadTesting.Core.Load.Watches;

/// <summary>A process to watch.</summary>
/// <param name="Name">Its name in the report.</param>
/// <param name="ProcessId">Its id.</param>
/// <param name="WithChildren">Whether its child processes are included, such as a database server's sessions.</param>
public sealed record WatchedProcess(string Name, int ProcessId, bool WithChildren = false);
