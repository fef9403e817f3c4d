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
    public const string Postgres = "postgres";
    public const string Redis = "redis";
    public const string RabbitMq = "rabbitmq";

    // The start time is derived from the boot time, which two processes may round differently.
    private static readonly TimeSpan StartTolerance = TimeSpan.FromSeconds(2);

    private static int _count;

    /// <summary>A new name for a directory of this process.</summary>
    /// <param name="kind">Of the server, one of the constants.</param>
    public static string NewName(string kind)
    {
        using var self = Process.GetCurrentProcess();
        return $"workflow-{kind}-{self.Id}-{StartSeconds(self)}-{Interlocked.Increment(ref _count)}";
    }

    /// <summary>The directories of a kind under the temporary directory whose owner is gone.</summary>
    public static IEnumerable<string> FindAbandoned(string kind) =>
        Directory.EnumerateDirectories(Path.GetTempPath(), $"workflow-{kind}-*").Where(IsAbandoned);

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

    [GeneratedRegex(@"^workflow-[a-z]+-(\d{1,9})-(\d{1,12})-\d+$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
