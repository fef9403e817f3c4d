namespace Foundation;

/// <summary>Tells which file systems keep their files after a power failure.</summary>
public static class FileSystems
{
    private const string KeptDirectory = "/var/tmp";

    /// <summary>
    /// The data directory of servers that are started for a run: <c>TMPDIR</c> if set, else <c>/var/tmp</c>. Many
    /// systems keep <c>/tmp</c> in memory, where a forced write costs nothing.
    /// </summary>
    public static string OfServers { get; } =
        string.IsNullOrEmpty(Environment.GetEnvironmentVariable("TMPDIR")) && Directory.Exists(KeptDirectory)
            ? KeptDirectory
            : Path.TrimEndingDirectorySeparator(Path.GetTempPath());

    /// <summary>Whether a file system of this type keeps its files in memory.</summary>
    /// <param name="type">The kernel's name, e.g. <c>ext4</c>; null if unknown.</param>
    public static bool IsInMemory(string? type) => type is "tmpfs" or "ramfs";

    /// <summary>The type of the file system of a path.</summary>
    /// <param name="path">Absolute and without links, as the process sees it whose mounts these are.</param>
    /// <param name="mounts">Text of <c>/proc/PID/mountinfo</c> (proc_pid_mountinfo(5)).</param>
    /// <returns>Null if no mount contains the path.</returns>
    public static string? TypeOf(string path, string mounts) => mounts.Split('\n')
        .Select(line => line.Split(' '))
        .Select(fields => (Point: Unescape(fields.ElementAtOrDefault(4)),
            Type: fields.SkipWhile(f => f != "-").ElementAtOrDefault(1)))
        .Where(mount => mount.Point is not null && IsIn(path, mount.Point))
        // Of two at the same place the later one is seen, and sorting keeps their order.
        .OrderBy(mount => mount.Point!.Length)
        .LastOrDefault().Type;

    private static bool IsIn(string path, string directory) =>
        directory == "/" || path == directory || path.StartsWith(directory + "/", StringComparison.Ordinal);

    // Space, tab, newline and backslash are octal there.
    private static string? Unescape(string? text) => text?
        .Replace(@"\040", " ", StringComparison.Ordinal).Replace(@"\011", "\t", StringComparison.Ordinal)
        .Replace(@"\012", "\n", StringComparison.Ordinal).Replace(@"\134", @"\", StringComparison.Ordinal);
}
