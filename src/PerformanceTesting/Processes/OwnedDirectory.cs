using System.Text.RegularExpressions;
using Foundation;

namespace PerformanceTesting.Processes;

/// <summary>
/// Directories that belong to one process: its id and start time are in the name itself, so that there is no moment in
/// which a directory has no owner.
/// </summary>
internal static partial class OwnedDirectory
{
    private const string Memory = "/dev/shm";
    private const long LeastMemoryBytes = 4L << 30;
    private static int _count;

    /// <summary>A new name for a directory of this process.</summary>
    /// <param name="kind">Of the server in it, lower case.</param>
    /// <param name="inMemory">In memory, where there is room for it.</param>
    public static string NewPath(string kind, bool inMemory = false)
    {
        var root = inMemory && Directory.Exists(Memory) && new DriveInfo(Memory).AvailableFreeSpace >= LeastMemoryBytes
            ? Memory
            : FileSystems.OfServers;
        return Path.Combine(root, $"workflow-{kind}-{ProcessOwner.Current}-{Interlocked.Increment(ref _count)}");
    }

    public static IEnumerable<string> FindAbandoned(string kind) => new[] { FileSystems.OfServers, Memory }
        .Distinct()
        .Where(Directory.Exists)
        .SelectMany(root => Directory.EnumerateDirectories(root, $"workflow-{kind}-*"))
        .Where(IsAbandoned);

    /// <summary>
    /// Ends and removes servers of processes that are gone; the <see cref="GuardedProcess"/> may have been killed too.
    /// </summary>
    /// <param name="kind">Of the servers.</param>
    /// <param name="processIdFiles">
    /// Where such a server keeps the ids of its processes, by their names in its directory.
    /// </param>
    public static void RemoveAbandoned(string kind, params IReadOnlyList<string> processIdFiles)
    {
        foreach (var directory in FindAbandoned(kind))
        {
            TryRemove(() =>
            {
                foreach (var file in processIdFiles)
                {
                    Kill(directory, Path.Combine(directory, file));
                }

                Directory.Delete(directory, recursive: true);
            });
        }
    }

    /// <summary>
    /// Removes the directory, unless another process is removing it. The owner's next run tries again.
    /// </summary>
    public static void TryRemove(Action remove)
    {
        try
        {
            remove();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Somebody else does.
        }
    }

    private static bool IsAbandoned(string directory) =>
        ProcessOwner.Find(Pattern().Match(Path.GetFileName(directory)).Groups[1].Value) is { IsAlive: false };

    /// <summary>
    /// A process id may belong to somebody else by now: the server's is the one that works in the directory.
    /// </summary>
    private static void Kill(string directory, string file)
    {
        if (!File.Exists(file) || !int.TryParse(File.ReadAllText(file), CultureInfo.InvariantCulture, out var id)
            || !WorksIn(directory, id))
        {
            return;
        }

        try
        {
            using var process = Process.GetProcessById(id);
            process.Kill();
        }
        catch (ArgumentException)
        {
            // It has ended meanwhile.
        }
    }

    private static bool WorksIn(string directory, int id)
    {
        try
        {
            return Directory.ResolveLinkTarget($"/proc/{id}/cwd", returnFinalTarget: false)?.FullName == directory;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false; // There is no such process, or it is another user's.
        }
    }

    [GeneratedRegex(@"^workflow-[a-z]+-(\d{1,9}-\d{1,12})-\d+$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
