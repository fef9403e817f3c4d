namespace LoadTesting.Core.Load.Watches;

/// <summary>A process to watch.</summary>
/// <param name="Name">What it is called in the answer.</param>
/// <param name="ProcessId">Its number.</param>
/// <param name="WithChildren">Whether the processes it started count with it, as a database server's sessions do.</param>
public sealed record WatchedProcess(string Name, int ProcessId, bool WithChildren = false);
