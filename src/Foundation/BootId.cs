namespace Foundation;

/// <summary>
/// Identifies whose monotonic clock a timestamp was read from: ticks of two processes can be compared only where both have the same id.
/// </summary>
public static class BootId
{
    private const string Linux = "proc/sys/kernel/random/boot_id";

    /// <summary>
    /// The boot of this machine where the system has an id for it (Linux); else this process, which shares its ticks with no other.
    /// </summary>
    public static string Current { get; } = Read("/") ?? Guid.NewGuid().ToString();

    /// <summary>The id of the machine's boot, or null where there is none.</summary>
    /// <param name="root">Root of the file system.</param>
    public static string? Read(string root)
    {
        var path = Path.Combine(root, Linux);
        return File.Exists(path) && File.ReadAllText(path).Trim() is { Length: > 0 } id ? id : null;
    }
}
