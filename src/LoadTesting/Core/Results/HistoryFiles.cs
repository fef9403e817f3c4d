namespace LoadTesting.Core.Results;

/// <summary>Reads the runs that a history is made of.</summary>
public static class HistoryFiles
{
    private const string RunFile = "run.json";

    /// <summary>
    /// The result files at the paths. A directory stands for the run in it, else for all result files in it and for all
    /// directories below it; <c>latest</c>, which leads to a run that is there anyway, is left out.
    /// </summary>
    /// <exception cref="FileNotFoundException">Nothing is at a path, or a directory holds no result.</exception>
    public static IReadOnlyList<string> Find(IEnumerable<string> paths) => [.. paths.SelectMany(Files).Distinct()];

    /// <summary>The runs in the files, the oldest first, each once.</summary>
    /// <exception cref="FormatException">A file is not a result; the message begins with its path.</exception>
    public static async Task<IReadOnlyList<RunResult>> ReadAsync(
        IEnumerable<string> files, CancellationToken cancellationToken = default)
    {
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
                $"{path}: does not exist. Name result files, or a directory that holds them.",
                path);
        }

        List<string> files = [.. Below(new DirectoryInfo(path))];
        return files.Count > 0 ? files : throw new FileNotFoundException(
            $"{path}: neither the directory nor one below it holds a result. Name the directory of the daily runs.",
            path);
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
            directory.EnumerateDirectories()
                .Where(below => below.Name != "latest" && below.Name[0] != '.' && below.LinkTarget is null)
                .OrderBy(below => below.Name, StringComparer.Ordinal).SelectMany(Below));
    }
}
