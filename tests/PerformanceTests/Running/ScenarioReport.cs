using PerformanceTesting.Measurement;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Subjects;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>Turns what was measured into a result with a verdict.</summary>
internal static class ScenarioReport
{
    /// <summary>The full name of a scenario's result.</summary>
    public static string NameOf(WorkflowScenario scenario, BackendProfile profile, HostingKind hosting) =>
        $"{profile.Name}-{scenario.Name}{(hosting == HostingKind.Http ? "-http" : "")}";

    public static ScenarioResult Make(
        WorkflowScenario scenario,
        WorkflowSubject subject,
        LoadResult load,
        Wave wave,
        SubjectCounts counts,
        CollectedCounters? server,
        IReadOnlyList<string> definitionHashes,
        ValidityResult validity)
    {
        var measured = load.Scenarios[0];
        var operations = scenario.Duration is null ? scenario.Operations : measured.Requested;
        var ledger = LedgerOf(scenario, subject, measured, wave, counts, operations);
        var phases = PhasesOf(scenario, measured, wave);
        var duration = wave.Tally.Duration;
        return new ScenarioResult
        {
            Name = NameOf(scenario, subject.Profile, subject.Hosting),
            Tier = scenario.Tier,
            Profile = subject.Profile.Name,
            Hosting = subject.Hosting,
            LoadEngine = load.Engine,
            LoadModel = string.Join("; ", measured.Simulations),
            DefinitionHash = ContentHash.Of([scenario.Name, .. definitionHashes]),
            StartedUtc = load.StartedUtc,
            Operations = operations,
            Concurrency = scenario.Concurrency,
            SignalWorkers = scenario.SignalWorkers,
            Lanes = counts.Lanes,
            DurationMs = duration.TotalMilliseconds,
            ThroughputPerSecond = duration > TimeSpan.Zero ? ledger.Completed / duration.TotalSeconds : 0,
            Latency = LatencyResult.From(wave.Tally.Latency),
            FailedLatency = measured.Fail.Count == 0 ? null : LatencyResult.From(measured.Fail.Latency),
            Phases = phases,
            ServerSplit = subject.Observer.ServerSplit.Count == 0 ? null : subject.Observer.ServerSplit.ToDictionary(s => s.Key, s => LatencyResult.From(s.Value)),
            Ledger = ledger,
            Backend = BackendOf(counts, server, ledger.Completed, operations),
            Generator = GeneratorOf(load.Health),
            Validity = validity,
            Verdict = Judge(scenario, load, ledger, phases, wave, validity),
            Notes = [.. NotesOf(scenario, subject), .. load.Notes],
        };
    }

    /// <summary>The server's own counters beside the engine's; where the server did not tell its commits, they are the engine's flushes.</summary>
    private static BackendCounters BackendOf(SubjectCounts counts, CollectedCounters? server, long completed, long operations)
    {
        var backend = server?.ToResult(completed) ?? new BackendCounters { Notes = ["Memory has no server that counts."] };
        var perOperation = new Dictionary<string, double?>(backend.PerOperation);
        var notes = backend.Notes.ToList();
        Dictionary<string, string>? sources = null;
        if (perOperation.GetValueOrDefault("commits") is null)
        {
            sources = new() { ["commits"] = "engine.flushes" };
            perOperation["commits"] = (double)counts.Flushes / Math.Max(1, operations);
            notes.Add("Commits are the engine's own count of its flushes.");
        }

        return backend with
        {
            Raw = new Dictionary<string, double>(backend.Raw) { ["engine.flushes"] = counts.Flushes, ["engine.signals"] = counts.Signals, ["engine.notificationsSent"] = counts.NotificationsSent, ["engine.notificationsReceived"] = counts.NotificationsReceived },
            PerOperation = perOperation,
            Sources = sources,
            Notes = notes,
        };
    }

    internal static LedgerResult LedgerOf(
        WorkflowScenario scenario, WorkflowSubject subject, ScenarioStats measured, Wave wave, SubjectCounts counts, long operations)
    {
        var tally = wave.Tally;
        var started = tally.Count(SendOutcome.Accepted);
        var completed = tally.Completed;

        // Iterations are dropped from the end, so of several to an operation the last go first: only those of the first kind were to begin one.
        var dropped = Math.Max(0, measured.Dropped - (operations * (scenario.IterationsPerOperation - 1)));
        var failed = scenario.StartsInstances ? counts.Failed : 0;
        var cancelled = scenario.StartsInstances ? Math.Min(counts.Cancelled, started - completed - failed) : 0;
        var open = started - completed - failed - cancelled;
        var deadLettered = Math.Min(counts.DeadLetters, open);
        var waiting = Math.Min(scenario.StartsInstances ? counts.Live : counts.Buffered, open - deadLettered);
        var seen = subject.Observer.Awaiter.Snapshot();
        return new LedgerResult
        {
            Requested = operations,
            Dropped = dropped + tally.Count(SendOutcome.NotSent),
            Refused = tally.Count(SendOutcome.Refused),
            Unknown = tally.Count(SendOutcome.Unknown),
            Started = started,
            Completed = completed,
            Failed = failed,
            Cancelled = cancelled,
            DeadLettered = deadLettered,
            Waiting = waiting,
            Stuck = Math.Max(0, open - deadLettered - waiting),
            RuntimeConflicts = counts.Conflicts,

            // Nobody sent the completion of an operation that came to another end, or to none yet.
            Lost = Math.Max(0, seen.Lost - failed - cancelled - deadLettered - waiting),
            Duplicate = seen.Duplicate,
            Late = seen.Late,
            Unmatched = seen.Unmatched + seen.Buffered,
        };
    }

    private static Dictionary<string, LatencyResult> PhasesOf(WorkflowScenario scenario, ScenarioStats measured, Wave wave)
    {
        var phases = new Dictionary<string, LatencyResult>(StringComparer.Ordinal);
        foreach (var phase in scenario.Phases)
        {
            phases[phase] = LatencyResult.From(phase switch
            {
                PhaseNames.SignalToFirstCompletion => wave.Tally.SignalToFirstCompletion,
                PhaseNames.SignalToCompletion => wave.Tally.SignalToCompletion,
                PhaseNames.StartToCompletion => wave.Tally.Latency,
                PhaseNames.DueToCompletion => wave.Tally.DueToCompletion,
                PhaseNames.DrainToIdle => wave.Tally.DrainToIdle,
                _ => measured.FindStep(phase)?.Ok.Latency ?? new LatencyHistogram(),
            });
        }

        return phases;
    }

    private static VerdictResult Judge(
        WorkflowScenario scenario, LoadResult load, LedgerResult ledger, Dictionary<string, LatencyResult> phases, Wave wave, ValidityResult validity)
    {
        var failures = ledger.Violations().ToList();
        if (ledger.Completed != ledger.Requested)
        {
            failures.Add($"{ledger.Completed} of {ledger.Requested} operations completed");
        }

        foreach (var (phase, latency) in phases)
        {
            var wanted = phase == PhaseNames.DrainToIdle && scenario.Shape != WaveShape.EachAlone ? 1 : ledger.Requested;
            if (latency.N != wanted)
            {
                failures.Add($"phase {phase} has {latency.N} samples where {wanted} are due");
            }
        }

        if (wave.Tally.Early > 0)
        {
            failures.Add($"{wave.Tally.Early} signals were delivered before they were due");
        }

        return Conclude(failures, load, validity);
    }

    /// <summary>Failed by what was found wrong, else inconclusive where the measurement is in doubt, whatever the system under test.</summary>
    internal static VerdictResult Conclude(List<string> failures, LoadResult load, ValidityResult validity)
    {
        failures.AddRange(FailedChecks(validity, CheckSubject.System));
        failures.AddRange(load.Scenarios[0].Fail.StatusCodes.Select(code => $"{code.Count} operations failed: {code.StatusCode} {code.Message}"));
        if (failures.Count > 0)
        {
            return new(VerdictOutcome.Failed, failures);
        }

        // Not wrong, and not slow: nothing can be said.
        string[] doubts = [.. load.Health.Verdict == GeneratorVerdict.Bound ? load.Health.Evidence.Select(e => e.Text) : [], .. FailedChecks(validity, CheckSubject.Measurement)];
        return doubts.Length > 0 ? new(VerdictOutcome.Inconclusive, doubts) : new(VerdictOutcome.Passed, []);
    }

    private static IEnumerable<string> FailedChecks(ValidityResult validity, CheckSubject subject) =>
        validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed && check.Subject == subject).Select(check => $"{check.Name}: {check.Reason}");

    internal static GeneratorResult GeneratorOf(GeneratorHealth health) => new()
    {
        Health = health.Verdict == GeneratorVerdict.Bound ? GeneratorState.Bound : GeneratorState.Healthy,
        AchievedRatio = health.AchievedRatio,
        ScheduleLagP99Ms = health.ScheduleLagP99Ms,
        ScheduleLagShare = health.LagShareOfP99,
        Dropped = health.Dropped,
        CpuShare = Known(health.Process.CpuShare),
        GcPauseShare = Known(health.Process.GcPauseShare),
        ThreadPoolQueueMax = health.Process.ThreadPoolQueueMax,
        JitterMaxMs = Known(health.Process.JitterMaxMs),
        Evidence = [.. health.Evidence.Select(e => e.Text)],
    };

    private static double? Known(double value) => double.IsFinite(value) ? value : null;

    private static List<string> NotesOf(WorkflowScenario scenario, WorkflowSubject subject)
    {
        var notes = new List<string> { scenario.Question, $"Warmed up with {scenario.WarmUpOperations} operations that are not part of the result." };
        notes.AddRange(scenario.Remarks);
        if (scenario.Shape == WaveShape.Continuous)
        {
            notes.Add("Operations follow one another without an idle moment between them, so signalToCompletion, which ends with one, is not measured.");
        }

        if (subject.Profile.HintsOverRedis)
        {
            notes.Add("One node: it owns every lane, so nobody is woken and notifications stay 0. What notifications gain between two nodes is measured by the benchmark notifications.");
        }

        if (subject.Hosting == HostingKind.Http)
        {
            notes.Add("Over HTTP, idleness is asked for every 5 ms: signalToCompletion and drainToIdle are known to within that and a request.");
        }
        else
        {
            notes.Add("Generator, engine and consumers share one process: processor time and thread pool are theirs together.");
        }

        return notes;
    }
}
