using System.Diagnostics;
using System.Globalization;

namespace PerformanceTesting.Backends;

/// <summary>Ends and removes the servers of processes that are gone; the <see cref="GuardedProcess"/> may have been killed too.</summary>
internal static class ServerLeftovers
{
    /// <param name="kind">Of the servers, one of the constants of <see cref="OwnedDirectory"/>.</param>
    /// <param name="processIdFiles">Where a server of the kind keeps the ids of its processes, by their names in its directory.</param>
    public static void Remove(string kind, params IReadOnlyList<string> processIdFiles)
    {
        foreach (var directory in OwnedDirectory.FindAbandoned(kind))
        {
            try
            {
                foreach (var file in processIdFiles)
                {
                    Kill(directory, Path.Combine(directory, file));
                }

                Directory.Delete(directory, recursive: true);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Another run removes the same directory at this moment, or it belongs to another user, whose next run will.
            }
        }
    }

    /// <summary>A process id may belong to somebody else by now: the server's is the one that works in the directory.</summary>
    private static void Kill(string directory, string file)
    {
        if (!File.Exists(file)
            || !int.TryParse(File.ReadAllText(file), CultureInfo.InvariantCulture, out var id)
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
}
