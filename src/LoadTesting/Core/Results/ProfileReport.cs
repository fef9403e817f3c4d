namespace LoadTesting.Core.Results;

/// <summary>
/// Whether a profile is available on this machine: what a suite answers when <see cref="ListVariable"/> asks it.
/// </summary>
/// <param name="Profile">The profile's name.</param>
/// <param name="IsAvailable">True when its scenarios run here.</param>
/// <param name="Reason">What serves it, or why nothing does; no secret.</param>
/// <param name="Command">The command or setting that enables it; null when it is available.</param>
public sealed record ProfileReport(string Profile, bool IsAvailable, string Reason, string? Command)
{
    /// <summary>
    /// Names the file that a suite's executable writes instead of running tests: a JSON array of these, in camel case.
    /// Servers are started to find out, and stopped again.
    /// </summary>
    public const string ListVariable = "WORKFLOW_PERF_LIST_PROFILES";
}
