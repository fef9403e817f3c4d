namespace LoadTesting.Core.Results;

/// <summary>The directory of one run, and the names of the files in it.</summary>
internal sealed partial class RunDirectory
{
    public const string RunFile = "run.json";

    private const int MostSuffixes = 1000;

    private RunDirectory(string path) => FullPath = path;

    public string FullPath { get; }
    public string Name => Path.GetFileName(FullPath);

    /// <summary>One that a run has claimed before.</summary>
    public static RunDirectory Of(string path) => new(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)));

    /// <summary>
    /// Claims <c>yyyyMMddTHHmmssZ-commit</c>, with a suffix when a run of that name exists. Two processes that start in
    /// one second get one directory each: the process that creates the run's file owns the directory.
    /// </summary>
    public static RunDirectory Claim(string results, DateTimeOffset createdUtc, string revision)
    {
        var name = createdUtc.UtcDateTime.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture) + "-"
            + revision;
        Directory.CreateDirectory(results);
        for (var attempt = 1; attempt <= MostSuffixes; attempt++)
        {
            var path = Path.GetFullPath(Path.Combine(results, attempt == 1 ? name : $"{name}-{attempt}"));
            if (!Path.Exists(path) && TryOwn(path))
            {
                return new RunDirectory(path);
            }
        }

        throw new IOException(
            $"{results} holds {MostSuffixes} runs named {name}; remove some, or choose another results directory.");
    }

    /// <summary>
    /// A file name for each scenario: its own name with anything but letters, digits, dot, dash and underscore
    /// replaced, and a number where two would meet.
    /// </summary>
    public static IReadOnlyList<string> FileNames(IEnumerable<string> scenarioNames)
    {
        var taken = new HashSet<string>(StringComparer.OrdinalIgnoreCase) { RunFile };
        var names = new List<string>();
        foreach (var scenario in scenarioNames)
        {
            var plain = Unsafe().Replace(scenario, "-").TrimStart('.');
            plain = plain.Length == 0 ? "scenario" : plain[..Math.Min(plain.Length, 120)];
            var file = plain + ".json";
            for (var number = 2; !taken.Add(file); number++)
            {
                file = $"{plain}-{number}.json";
            }

            names.Add(file);
        }

        return names;
    }

    public string PathOf(string file) => Path.Combine(FullPath, file);

    [GeneratedRegex("[^A-Za-z0-9._-]+")]
    private static partial Regex Unsafe();

    private static bool TryOwn(string path)
    {
        Directory.CreateDirectory(path);
        try
        {
            using var claim = new FileStream(Path.Combine(path, RunFile), FileMode.CreateNew);
            return true;
        }
        catch (IOException) when (File.Exists(Path.Combine(path, RunFile)))
        {
            // Another process was first; the next suffix is tried.
            return false;
        }
    }
}
