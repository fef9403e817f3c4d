using LoadTesting.Core.Results;

namespace LoadTesting.Tool;

/// <summary>The runs that a baseline's path stands for.</summary>
internal static class StoredRuns
{
    /// <summary>Reads a result, a run's directory, a results directory, or every result in a directory of stored baselines.</summary>
    /// <exception cref="FileNotFoundException">There is nothing of the kind; the message says what would do.</exception>
    public static async Task<IReadOnlyList<ComparisonSource>> LoadAsync(string path, CancellationToken cancellationToken)
    {
        var files = Directory.Exists(path) && !File.Exists(Path.Combine(path, "run.json")) && !Directory.Exists(Path.Combine(path, "latest"))
            ? new BaselineStore(path).Files
            : [];
        var sources = new List<ComparisonSource>();
        foreach (var file in files.Count > 0 ? files : [path])
        {
            sources.Add(await ComparisonSource.LoadAsync(file, cancellationToken).ConfigureAwait(false));
        }

        return sources;
    }
}
