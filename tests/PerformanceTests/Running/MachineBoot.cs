namespace PerformanceTests.Running;

/// <summary>The boot of this machine: events stamped under it can be compared with this process's own clock.</summary>
internal static class MachineBoot
{
    private const string LinuxBootId = "/proc/sys/kernel/random/boot_id";

    /// <summary>Empty where it cannot be told; the server's split is null then.</summary>
    public static string Id { get; } = File.Exists(LinuxBootId) ? File.ReadAllText(LinuxBootId).Trim() : "";
}
