namespace Workflow.Engine.Execution;

/// <summary>Identifies whose monotonic clock a timestamp was read from.</summary>
internal static class BootIdentity
{
    private const string LinuxBootId = "/proc/sys/kernel/random/boot_id";

    /// <summary>The boot of this machine where it can be told (Linux); else of this process, so that no other process's ticks are compared.</summary>
    public static string Current { get; } = File.Exists(LinuxBootId) ? File.ReadAllText(LinuxBootId).Trim() : Guid.NewGuid().ToString();
}
