using System.Text.RegularExpressions;

namespace PerformanceTesting.Backends;

/// <summary>
/// Names of directories that belong to one process: id and start time are in the name itself, so that there is no moment in which
/// a directory has no owner.
/// </summary>
internal static partial class OwnedDirectory
{
    public const string Postgres = "postgres";
    public const string Redis = "redis";
    public const string RabbitMq = "rabbitmq";
    public const string Mongo = "mongo";

    private static int _count;

    /// <summary>A new name for a directory of this process.</summary>
    /// <param name="kind">Of the server, one of the constants.</param>
    public static string NewName(string kind) =>
        $"workflow-{kind}-{ProcessOwner.Current}-{Interlocked.Increment(ref _count)}";

    /// <summary>The directories of a kind under the temporary directory whose owner is gone.</summary>
    public static IEnumerable<string> FindAbandoned(string kind) =>
        Directory.EnumerateDirectories(Path.GetTempPath(), $"workflow-{kind}-*").Where(IsAbandoned);

    private static bool IsAbandoned(string directory) =>
        ProcessOwner.Find(Pattern().Match(Path.GetFileName(directory)).Groups[1].Value) is { IsAlive: false };

    [GeneratedRegex(@"^workflow-[a-z]+-(\d{1,9}-\d{1,12})-\d+$", RegexOptions.CultureInvariant)]
    private static partial Regex Pattern();
}
