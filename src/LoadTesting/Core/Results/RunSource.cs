namespace LoadTesting.Core.Results;

/// <summary>A run that is to be set beside others.</summary>
/// <param name="Label">What the reader calls it, as a rule its path as given.</param>
public sealed record ComparisonSource(string Label, RunResult Run)
{
    /// <summary>
    /// Reads a run from a result file (<c>run.json</c>, the file of one scenario, a stored baseline), from a run's directory, or from a
    /// results directory, of which the latest run is taken.
    /// </summary>
    /// <exception cref="FileNotFoundException">Nothing is at the path, or the directory holds no run; the message says what would
    /// do.</exception>
    /// <exception cref="FormatException">The file is no result; the message begins with its path.</exception>
    public static async Task<ComparisonSource> LoadAsync(string path, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new ComparisonSource(path, await ResultJson.ReadFileAsync(FileOf(path), cancellationToken).ConfigureAwait(false));
    }

    /// <summary>The result file that a path stands for: itself, or the one in the directory.</summary>
    /// <exception cref="FileNotFoundException">As for <see cref="LoadAsync"/>.</exception>
    public static string FileOf(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (File.Exists(path))
        {
            return path;
        }

        if (!Directory.Exists(path))
        {
            throw new FileNotFoundException(
                $"{path}: there is no such file or directory. Name a run.json, the file of one scenario, or a results directory.", path);
        }

        string[] candidates = [Path.Combine(path, "run.json"), Path.Combine(path, "latest", "run.json")];
        return candidates.FirstOrDefault(File.Exists) ?? throw new FileNotFoundException(
            $"{path}: the directory holds neither run.json nor latest/run.json. " +
            "Name a run's directory, or the results directory that holds 'latest'.", path);
    }
}

/// <summary>Reads the runs that a history is made of.</summary>
public static class HistoryFiles
{
    private const string RunFile = "run.json";

    /// <summary>
    /// The result files at the paths. A directory stands for the run in it, else for all result files in it and for all directories below
    /// it; <c>latest</c>, which leads to a run that is there anyway, is left out.
    /// </summary>
    /// <exception cref="FileNotFoundException">Nothing is at a path, or a directory holds no result.</exception>
    public static IReadOnlyList<string> Find(IEnumerable<string> paths)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return [.. paths.SelectMany(Files).Distinct()];
    }

    /// <summary>The runs in the files, the oldest first, each once.</summary>
    /// <exception cref="FormatException">A file is no result; the message begins with its path.</exception>
    public static async Task<IReadOnlyList<RunResult>> ReadAsync(IEnumerable<string> files, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(files);
        // Two machines may begin runs of one name in the same second, but not at the same instant.
        var runs = new Dictionary<(string, DateTimeOffset), RunResult>();
        foreach (var file in files)
        {
            var run = await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false);
            runs.TryAdd((run.RunId, run.CreatedUtc), run);
        }

        return [.. runs.Values.OrderBy(run => run.CreatedUtc).ThenBy(run => run.RunId, StringComparer.Ordinal)];
    }

    private static List<string> Files(string path)
    {
        if (File.Exists(path))
        {
            return [path];
        }

        if (!Directory.Exists(path))
        {
            throw new FileNotFoundException(
                $"{path}: there is no such file or directory. Name result files, or a directory that holds them.", path);
        }

        List<string> files = [.. Below(new DirectoryInfo(path))];
        return files.Count > 0 ? files : throw new FileNotFoundException(
            $"{path}: neither the directory nor one below it holds a result. Name the directory of the daily runs.", path);
    }

    private static IEnumerable<string> Below(DirectoryInfo directory)
    {
        var run = Path.Combine(directory.FullName, RunFile);
        if (File.Exists(run))
        {
            // The files beside it are the same results once more, by scenario.
            return [run];
        }

        return directory.EnumerateFiles("*.json").Select(file => file.FullName).Order(StringComparer.Ordinal).Concat(
            directory.EnumerateDirectories().Where(below => below.Name != "latest" && below.Name[0] != '.' && below.LinkTarget is null)
                .OrderBy(below => below.Name, StringComparer.Ordinal).SelectMany(Below));
    }
}
