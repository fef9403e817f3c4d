namespace LoadTesting.Core.Results;

/// <summary>A run that is to be set beside others.</summary>
/// <param name="Label">What the reader calls it, as a rule its path as given.</param>
public sealed record ComparisonSource(string Label, RunResult Run)
{
    /// <summary>
    /// Reads a run from a result file (<c>run.json</c>, the file of one scenario, a stored baseline), from a run's
    /// directory, or from a results directory, of which the latest run is taken.
    /// </summary>
    /// <exception cref="FileNotFoundException">Nothing is at the path, or the directory holds no run; the message says
    /// what would do.</exception>
    /// <exception cref="FormatException">The file is not a result; the message begins with its path.</exception>
    public static async Task<ComparisonSource> LoadAsync(string path, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new ComparisonSource(
            path, await ResultJson.ReadFileAsync(FileOf(path), cancellationToken).ConfigureAwait(false));
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
                $"{path}: does not exist. Name a run.json, the file of one scenario, or a results directory.", path);
        }

        string[] candidates = [Path.Combine(path, "run.json"), Path.Combine(path, "latest", "run.json")];
        return candidates.FirstOrDefault(File.Exists) ?? throw new FileNotFoundException(
            $"{path}: the directory holds neither run.json nor latest/run.json. " +
            "Name a run's directory, or the results directory that holds 'latest'.", path);
    }
}
