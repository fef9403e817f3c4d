using LoadTesting.Core.Reporting.Html;

namespace LoadTesting.Core.Reporting;

/// <summary>
/// <c>index.html</c> of a results directory: its newest runs, each with its verdict and its report, and how they
/// developed.
/// </summary>
public static class RunIndex
{
    /// <summary>Older runs are left out: reading them would take longer than a run.</summary>
    public const int MaxRuns = 40;

    private const string Latest = "latest";

    /// <summary>Writes it anew.</summary>
    /// <param name="resultsDirectory">Holds a directory for each run.</param>
    /// <returns>Full path of the page.</returns>
    /// <exception cref="DirectoryNotFoundException">There is no such directory.</exception>
    public static async Task<string> WriteAsync(string resultsDirectory, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(resultsDirectory);
        var all = Directory.EnumerateDirectories(resultsDirectory)
            .Where(directory =>
                Path.GetFileName(directory) != Latest && File.Exists(Path.Combine(directory, RunDirectory.RunFile)))
            .OrderByDescending(Path.GetFileName, StringComparer.Ordinal).ToList();
        var runs = new List<IndexedRun>();
        foreach (var directory in all.Take(MaxRuns))
        {
            runs.Add(await ReadAsync(directory, cancellationToken).ConfigureAwait(false));
        }

        var measured = runs.Select(run => run.Run).OfType<RunResult>().Where(run => run.Scenarios.Count > 0).ToList();
        var page = IndexHtml.Render(runs, all.Count - runs.Count, measured.Count == 0 ? null : RunHistory.Of(measured));
        var path = Path.GetFullPath(Path.Combine(resultsDirectory, "index.html"));
        await AtomicFile.WriteAsync(path, page, cancellationToken).ConfigureAwait(false);
        return path;
    }

    /// <summary>An unreadable run is shown with its problem and does not hide others.</summary>
    private static async Task<IndexedRun> ReadAsync(string directory, CancellationToken cancellationToken)
    {
        var name = Path.GetFileName(directory);
        try
        {
            var file = Path.Combine(directory, RunDirectory.RunFile);
            var run = await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false);
            return new IndexedRun(name, run, null, File.Exists(Path.Combine(directory, "report.html")));
        }
        catch (FormatException exception)
        {
            return new IndexedRun(name, null, exception.Message, HasReport: false);
        }
    }
}
