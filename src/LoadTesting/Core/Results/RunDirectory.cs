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
    /// Claims <c>yyyyMMddTHHmmssZ-commit</c>, with a suffix when a run of that name exists. Two processes that start in one second get
    /// one directory each: whoever creates the run's file owns the directory.
    /// </summary>
    public static RunDirectory Claim(string results, DateTimeOffset createdUtc, string revision)
    {
        var name = createdUtc.UtcDateTime.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture) + "-" + revision;
        Directory.CreateDirectory(results);
        for (var attempt = 1; attempt <= MostSuffixes; attempt++)
        {
            var path = Path.GetFullPath(Path.Combine(results, attempt == 1 ? name : $"{name}-{attempt}"));
            if (!Path.Exists(path) && TryOwn(path))
            {
                return new RunDirectory(path);
            }
        }

        throw new IOException($"{results} holds {MostSuffixes} runs named {name}; remove some, or choose another results directory.");
    }

    /// <summary>
    /// A file name for each scenario: its own name with anything but letters, digits, dot, dash and underscore replaced, and a number
    /// where two would meet.
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

/// <summary><c>latest</c> beside the runs: a link to the newest, or a copy of it where links cannot be made.</summary>
internal static class LatestRun
{
    private const string Name = "latest";

    public static void PointTo(RunDirectory run)
    {
        var results = Path.GetDirectoryName(run.FullPath)!;
        var latest = Path.Combine(results, Name);
        if (IsLinkTo(latest, run.Name))
        {
            return;
        }

        if (!TryLink(results, latest, run.Name))
        {
            Copy(run.FullPath, latest);
        }
    }

    /// <summary>Replaces the copy in one rename, so that a reader never finds half of it.</summary>
    internal static void Copy(string from, string latest)
    {
        var fresh = latest + ".new";
        Remove(fresh);
        foreach (var file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories)
            .Where(file => !file.EndsWith(".tmp", StringComparison.Ordinal)))
        {
            var target = Path.Combine(fresh, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }

        Remove(latest);
        Directory.Move(fresh, latest);
    }

    private static bool IsLinkTo(string latest, string name) => new DirectoryInfo(latest).LinkTarget == name;

    private static bool TryLink(string results, string latest, string name)
    {
        try
        {
            Remove(latest);
            Directory.CreateSymbolicLink(latest, name);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or PlatformNotSupportedException)
        {
            // Links need a privilege on Windows and are missing on some file systems. A link that another run made meanwhile is as good.
            return new DirectoryInfo(Path.Combine(results, Name)).LinkTarget is not null;
        }
    }

    private static void Remove(string path)
    {
        var directory = new DirectoryInfo(path);
        if (directory.LinkTarget is not null)
        {
            directory.Delete();
        }
        else if (directory.Exists)
        {
            directory.Delete(recursive: true);
        }
    }
}

/// <summary>Files that are always either the old or the new text, never half of one.</summary>
internal static class AtomicFile
{
    private static readonly UTF8Encoding WithoutMark = new(encoderShouldEmitUTF8Identifier: false);

    /// <summary>Writes beside the file and renames over it.</summary>
    public static async Task WriteAsync(string path, string text, CancellationToken cancellationToken)
    {
        var temporary = Path.Combine(Path.GetDirectoryName(path)!, $".{Path.GetFileName(path)}.tmp");
        await File.WriteAllTextAsync(temporary, text, WithoutMark, cancellationToken).ConfigureAwait(false);
        File.Move(temporary, path, overwrite: true);
    }
}
