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
                    finished.Add($"{directory}: {reason}. What it had is kept, marked as partial.");
                }
            }
            catch (Exception exception)
                when (exception is FormatException or IOException or UnauthorizedAccessException)
            {
                finished.Add($"{directory}: how the run ended is not known, and it is left as it is: {UserMessage.Of(exception)}");
            }
        }

        return finished;
    }

    /// <summary>A planned result with the current figures of its load.</summary>
    internal static ScenarioResult Fill(ScenarioResult planned, ScenarioProgress measured, DateTimeOffset nowUtc)
    {
        var seconds = measured.ElapsedSeconds;
        var counted = Invariant(
            $"After {seconds:0} s {measured.Started} {Quantity.Noun(measured.Started, "iteration")} had started, ")
            + Invariant($"{measured.Completed} completed, {measured.Failed} failed; ")
            + Invariant($"{measured.InFlight} were in flight, and {measured.Dropped} were dropped.");
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
                .. planned.Notes, counted,
                isWhole ? "Throughput and latency are of its iterations."
                    : "Several iterations are an operation of it: throughput and latency of operations are not known.",
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

        var reason = Invariant($"its process was killed, last heard of {run.UpdatedUtc:u}, {Doing(run)}");
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

    private static string Doing(
        RunProgressSnapshot run) => run.Subject is not { } subject ? "between two scenarios" : run.Stage switch
    {
        RunStage.Measuring => $"while it measured {subject}",
        RunStage.Settling or RunStage.Concluding => $"before {subject} had its verdict",
        _ => $"before the load of {subject}",
    };

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
