using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// Names of directories that belong to one process: id and start time are in the name itself, so that there is no moment in which
/// a directory has no owner.
/// </summary>
internal static partial class OwnedDirectory
{
    // The start time is derived from the boot time, which two processes may round differently.
    private static readonly TimeSpan StartTolerance = TimeSpan.FromSeconds(2);

    private static int _count;

    public static string NewName()
    {
        using var self = Process.GetCurrentProcess();
        return $"workflow-postgres-{self.Id}-{StartSeconds(self)}-{Interlocked.Increment(ref _count)}";
    }

    /// <summary>The directories under <paramref name="parent"/> whose owner is gone.</summary>
    public static IEnumerable<string> FindAbandoned(string parent) =>
        Directory.EnumerateDirectories(parent, "workflow-postgres-*").Where(IsAbandoned);

    private static bool IsAbandoned(string directory)
    {
        var match = Pattern().Match(Path.GetFileName(directory));
        if (!match.Success)
        {
            return false;
        }

        try
        {
            using var owner = Process.GetProcessById(int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture));
            var named = long.Parse(match.Groups[2].ValueSpan, CultureInfo.InvariantCulture);
            return Math.Abs(StartSeconds(owner) - named) > StartTolerance.TotalSeconds;
        }
        catch (ArgumentException)
        {
            return true; // No process has that id.
        }
        catch (InvalidOperationException)
        {
            return true; // It ended while being asked.
        }
    }

    private static long StartSeconds(Process process) => new DateTimeOffset(process.StartTime).ToUnixTimeSeconds();

    [GeneratedRegex(@"^workflow-postgres-(\d{1,9})-(\d{1,12})-\d+$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
