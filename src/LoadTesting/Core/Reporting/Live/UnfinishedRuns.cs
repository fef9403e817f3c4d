using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// Runs whose process was killed. A process that is killed can write nothing: MSBuild, for one, kills test hosts on Ctrl+C. Its
/// <see cref="ProgressFile"/> has what was measured until a second before, of which whoever finds the run makes a partial result.
/// </summary>
public static class UnfinishedRuns
{
    private const int MostLevels = 3;

    /// <summary>
    /// Keeps what killed runs had, marked as partial with the reason. Runs that go on, or may on another machine, are left alone.
    /// </summary>
    /// <param name="path">A run's directory or a file in it, or a directory with runs below it.</param>
    /// <returns>A sentence for each, also for one that cannot be read or written.</returns>
    public static async Task<IReadOnlyList<string>> FinishAsync(string path, CancellationToken cancellationToken = default)
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
            catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
            {
                finished.Add($"{directory}: how the run ended is not known, and it is left as it is: {exception.Message}");
            }
        }

        return finished;
    }

    /// <summary>A result that is planned, with what its load has come to.</summary>
    internal static ScenarioResult Fill(ScenarioResult planned, ScenarioProgress measured, DateTimeOffset nowUtc)
    {
        var seconds = measured.ElapsedSeconds;
        var counted = Invariant(
            $"After {seconds:0} s {measured.Started} iterations had started, {measured.Completed} completed, {measured.Failed} failed; ")
            + Invariant($"{measured.InFlight} were in flight, and {measured.Dropped} were dropped.");
        var isWhole = planned.Operations <= 0 || measured.PlannedIterations is null || measured.PlannedIterations == planned.Operations;
        return planned with
        {
            StartedUtc = nowUtc - TimeSpan.FromSeconds(seconds),
            DurationMs = seconds * 1000,
            ThroughputPerSecond = isWhole && seconds > 0 ? measured.Completed / seconds : 0,
            Latency = isWhole && measured.Latency is { } latency ? LatencyResult.From(latency) : new LatencyResult { N = 0 },
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
            RecurseSubdirectories = true, MaxRecursionDepth = MostLevels, AttributesToSkip = FileAttributes.ReparsePoint,
            IgnoreInaccessible = true,
        };
        string[] files = Directory.Exists(path) ? [.. Directory.EnumerateFiles(path, ProgressFile.FileName, below)] : [path];
        return files.Select(file => Path.GetDirectoryName(Path.GetFullPath(file))!).Distinct().Where(directory =>
            File.Exists(Path.Combine(directory, ProgressFile.FileName)) && File.Exists(Path.Combine(directory, RunDirectory.RunFile)));
    }

    private static async Task<string?> FinishOneAsync(string directory, CancellationToken cancellationToken)
    {
        var run = await ProgressFile.ReadAsync(Path.Combine(directory, ProgressFile.FileName), cancellationToken).ConfigureAwait(false);
        var now = TimeProvider.System.GetUtcNow();
        if (run.State != RunState.Running
            || RunWatch.Of(run, now, process => process.IsAlive, Environment.MachineName, BootId.Current).State != WatchState.Killed)
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
        await ResultWriter.FinishAsync(directory, reason, scenarios, cancellationToken).ConfigureAwait(false);
        // Last: who dies before this has marked the run, and the next does no more than this.
        new ProgressFile(directory).Show(run with
        {
            State = RunState.Killed, Partial = [], Inconclusive = run.Inconclusive + scenarios.Length,
        });
        return reason;
    }

    private static string Doing(RunProgressSnapshot run) => run.Subject is not { } subject ? "between two scenarios" : run.Stage switch
    {
        RunStage.Measuring => $"while it measured {subject}",
        RunStage.Settling or RunStage.Concluding => $"before {subject} had its verdict",
        _ => $"before the load of {subject}",
    };

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
