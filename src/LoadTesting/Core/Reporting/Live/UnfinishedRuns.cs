using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// Runs whose process was killed. A killed process cannot write its result: MSBuild, for example, kills test hosts on
/// Ctrl+C. The <see cref="ProgressFile"/> holds the measurements up to a second earlier; the next process turns them
/// into a partial result.
/// </summary>
public static class UnfinishedRuns
{
    private const int MaxLevels = 3;

    /// <summary>
    /// Stores the measurements of killed runs as partial results. Runs that are running, or may be running on another
    /// machine, stay unchanged.
    /// </summary>
    /// <param name="path">A run's directory or a file in it, or a directory with runs below it.</param>
    /// <returns>A sentence for each, also for one that cannot be read or written.</returns>
    public static async Task<IReadOnlyList<string>> FinishAsync(
        string path, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        var finished = new List<string>();
        foreach (var directory in Directories(path))
        {
            try
            {
                if (await FinishOneAsync(directory, cancellationToken).ConfigureAwait(false) is { } reason)
                {
                    finished.Add(TerminalText.Finished(directory, reason));
                }
            }
            catch (Exception exception)
                when (exception is FormatException or IOException or UnauthorizedAccessException)
            {
                finished.Add(TerminalText.NotFinished(directory, UserMessage.Of(exception)));
            }
        }

        return finished;
    }

    /// <summary>A planned result with the current figures of its load.</summary>
    internal static ScenarioResult Fill(ScenarioResult planned, ScenarioProgress measured, DateTimeOffset nowUtc)
    {
        var seconds = measured.ElapsedSeconds;
        var isWhole = planned.Operations <= 0 || measured.PlannedIterations is null
            || measured.PlannedIterations == planned.Operations;
        return planned with
        {
            StartedUtc = nowUtc - TimeSpan.FromSeconds(seconds),
            DurationMs = seconds * 1000,
            ThroughputPerSecond = isWhole && seconds > 0 ? measured.Completed / seconds : 0,
            Latency =
                isWhole && measured.Latency is { } latency ? LatencyResult.From(latency) : new LatencyResult { N = 0 },
            Notes =
            [
                .. planned.Notes, TerminalText.Counted(measured),
                isWhole ? TerminalText.OfIterations : TerminalText.OfOperations,
            ],
        };
    }

    private static IEnumerable<string> Directories(string path)
    {
        var below = new EnumerationOptions
        {
            RecurseSubdirectories = true, MaxRecursionDepth = MaxLevels, AttributesToSkip = FileAttributes.ReparsePoint,
            IgnoreInaccessible = true,
        };
        string[] files =
            Directory.Exists(path) ? [.. Directory.EnumerateFiles(path, ProgressFile.FileName, below)] : [path];
        return files.Select(file => Path.GetDirectoryName(Path.GetFullPath(file))!).Distinct().Where(directory =>
            File.Exists(Path.Combine(directory, ProgressFile.FileName))
                && File.Exists(Path.Combine(directory, RunDirectory.RunFile)));
    }

    private static async Task<string?> FinishOneAsync(string directory, CancellationToken cancellationToken)
    {
        var run = await ProgressFile.ReadAsync(Path.Combine(directory, ProgressFile.FileName), cancellationToken)
            .ConfigureAwait(false);
        var now = TimeProvider.System.GetUtcNow();
        if (run.State != RunState.Running
            || RunWatch.Of(run, now, process => process.IsAlive, Environment.MachineName, BootId.Current).State
                != WatchState.Killed)
        {
            return null;
        }

        var reason = TerminalText.WasKilled(run);
        ScenarioResult[] scenarios =
        [
            .. run.Partial.Select(scenario => scenario with
            {
                Partial = reason, Verdict = new(VerdictOutcome.Inconclusive, [$"partial: {reason}"]),
            }),
        ];
        var kept =
            await ResultWriter.FinishAsync(directory, reason, scenarios, cancellationToken).ConfigureAwait(false);
        var counts = ScenarioCounts.Of(kept);
        // Last: if this process dies earlier, the run is already marked, and the next process only repeats this step.
        new ProgressFile(directory).Show(run with
        {
            State = RunState.Killed, Partial = [], Passed = counts.Passed, Failed = counts.Failed,
            Inconclusive = counts.Inconclusive,
        });
        return reason;
    }
}
