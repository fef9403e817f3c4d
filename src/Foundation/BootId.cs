namespace Foundation;

/// <summary>
/// Identifies the monotonic clock of a timestamp. Ticks of two processes can be compared only if both have the same id.
/// </summary>
public static class BootId
{
    private const string Linux = "proc/sys/kernel/random/boot_id";

    /// <summary>
    /// The id of the machine's boot on Linux. Elsewhere an id of this process, so that its ticks match no other
    /// process.
    /// </summary>
    public static string Current { get; } = Read("/") ?? Guid.NewGuid().ToString();

    /// <summary>The id of the machine's boot; null if the system has none.</summary>
    /// <param name="root">Root of the file system.</param>
    public static string? Read(string root)
    {
        var path = Path.Combine(root, Linux);
        return File.Exists(path) && File.ReadAllText(path).Trim() is { Length: > 0 } id ? id : null;
    }
}
