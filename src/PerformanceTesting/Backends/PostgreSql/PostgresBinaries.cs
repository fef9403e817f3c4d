using System.Text.RegularExpressions;

namespace PerformanceTesting.Backends.PostgreSql;

/// <summary>A directory with the programs of a PostgreSQL server.</summary>
/// <param name="Directory">Holds <c>initdb</c>, <c>postgres</c> and <c>pg_ctl</c>.</param>
public sealed partial record PostgresBinaries(string Directory)
{
    private static readonly string[] Needed = ["initdb", "postgres", "pg_ctl"];

    public string Initdb => Program("initdb");
    public string Postgres => Program("postgres");
    public string PgCtl => Program("pg_ctl");

    /// <summary>Finds an installed server: PATH first, then the newest of the usual places.</summary>
    /// <returns>Null when there is none.</returns>
    public static PostgresBinaries? Find() => Find(SearchPath(), UsualPlaces());

    /// <param name="path">Directories in order of preference.</param>
    /// <param name="usualPlaces">
    /// Directories of which the newest version wins, read from the numbers in their names.
    /// </param>
    /// <returns>Null when no directory holds all the programs.</returns>
    public static PostgresBinaries? Find(IEnumerable<string> path, IEnumerable<string> usualPlaces) =>
        path.Concat(usualPlaces.OrderByDescending(MajorVersion))
            .Where(HoldsServer)
            .Select(directory => new PostgresBinaries(directory))
            .FirstOrDefault();

    /// <summary>Where <see cref="Find()"/> looks, for the message that says nothing was found.</summary>
    public static string Places { get; } =
        OperatingSystem.IsWindows()
            ? @"PATH and %ProgramFiles%\PostgreSQL\*\bin" : $"PATH, {string.Join(", ", UnixPatterns)}";

    private static string[] UnixPatterns =>
    [
        "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin",
        "/usr/local/opt/postgresql*/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
    ];

    private static IEnumerable<string> SearchPath() =>
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);

    private static IEnumerable<string> UsualPlaces() =>
        OperatingSystem.IsWindows()
            ? Expand(
                Path.Combine(
                    Environment.GetFolderPath(Environment.SpecialFolder.ProgramFiles), "PostgreSQL", "*", "bin"))
            : UnixPatterns.SelectMany(Expand);

    // At most one segment holds a star.
    private static IEnumerable<string> Expand(string pattern)
    {
        var segments = pattern.Split('/', '\\');
        var star = Array.FindIndex(segments, segment => segment.Contains('*', StringComparison.Ordinal));
        if (star < 0)
        {
            return [pattern];
        }

        var parent = string.Join(Path.DirectorySeparatorChar, segments[..star]) + Path.DirectorySeparatorChar;
        return System.IO.Directory.Exists(parent)
            ? System.IO.Directory.EnumerateDirectories(parent, segments[star])
                .Select(found => Path.Combine([found, .. segments[(star + 1)..]]))
            : [];
    }

    private static int MajorVersion(string directory)
    {
        var numbers = Digits().Matches(directory);
        return numbers.Count == 0 ? 0 : int.Parse(numbers[^1].ValueSpan, CultureInfo.InvariantCulture);
    }

    private static bool HoldsServer(string directory) =>
        Needed.All(program => File.Exists(new PostgresBinaries(directory).Program(program)));

    private string Program(string name) => Path.Combine(Directory, OperatingSystem.IsWindows() ? $"{name}.exe" : name);

    [GeneratedRegex(@"(?<![\d.])\d{1,3}(?=[\\/.]|$)", RegexOptions.CultureInvariant)]
    private static partial Regex Digits();
}
