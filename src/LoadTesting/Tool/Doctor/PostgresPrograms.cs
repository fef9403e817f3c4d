namespace LoadTesting.Tool.Doctor;

/// <summary>Installed programs of a PostgreSQL server.</summary>
internal static class PostgresPrograms
{
    private static readonly string[] Needed = ["initdb", "postgres", "pg_ctl"];
    private static readonly string Ending = OperatingSystem.IsWindows() ? ".exe" : "";

    // Parent and pattern of the versions below it; Linux packages, the source's default, Homebrew, and the Windows
    // installer.
    private static readonly (string Parent, string Pattern)[] Places =
    [
        ("/usr/lib/postgresql", "*"), ("/usr", "pgsql-*"), ("/usr/local", "pgsql"),
        ("/opt/homebrew/opt", "postgresql*"), ("/usr/local/opt", "postgresql*"),
        (Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.ProgramFiles), "PostgreSQL"), "*"),
    ];

    /// <summary>The directory that holds them, or null.</summary>
    public static string? Find(string? path) =>
        Find((path ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries).Concat(UsualPlaces()));

    public static string? Find(IEnumerable<string> directories) =>
        directories.FirstOrDefault(
            directory => Needed.All(program => File.Exists(Path.Combine(directory, program + Ending))));

    public static DoctorLine Judge(string? directory) => directory is null
        ? new("PostgreSQL programs", DoctorState.Warning, $"no directory holds {string.Join(", ", Needed)}",
            "Install the server, e.g. 'apt-get install postgresql', or name a running one in WORKFLOW_PERF_POSTGRES.")
        : new("PostgreSQL programs", DoctorState.Ok, directory);

    private static IEnumerable<string> UsualPlaces() =>
        Places.Where(place => Directory.Exists(place.Parent))
            .SelectMany(
                place => Directory.EnumerateDirectories(place.Parent, place.Pattern)
                    .OrderDescending(StringComparer.Ordinal))
            .Select(directory => Path.Combine(directory, "bin"));
}
