using System.Diagnostics;
using IntegrationTests.Shared.Subjects;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Health;
using LoadTesting.Core.Load;
using LoadTesting.Core.Measurement;
using PerformanceTests.Scenarios;
using ScenarioResult = LoadTesting.Core.Baselines.ScenarioResult;

namespace PerformanceTests.Running;

/// <summary>Turns what was measured into a result with a verdict.</summary>
internal static class ScenarioReport
{
    public static ScenarioResult Make(
        WorkflowScenario scenario, WorkflowSubject subject, LoadResult load, Wave wave, SubjectCounts counts, IReadOnlyList<string> definitionHashes)
    {
        var measured = load.Scenarios[0];
        var ledger = LedgerOf(scenario, subject, measured, wave, counts);
        var phases = PhasesOf(scenario, measured, wave);
        var began = wave.Operations.Min(o => o.BeganTicks);
        var ended = wave.Completed().Select(c => c.CompletedTicks).DefaultIfEmpty(began).Max();
        var duration = Stopwatch.GetElapsedTime(began, ended);
        return new ScenarioResult
        {
            Name = $"{subject.Profile.Name}-{scenario.Name}{(subject.Hosting == HostingKind.Http ? "-http" : "")}",
            Tier = scenario.Tier,
            Profile = subject.Profile.Name,
            Hosting = subject.Hosting,
            LoadEngine = "builtin",
            LoadModel = string.Join("; ", measured.Simulations),
            DefinitionHash = ContentHash.Of([scenario.Name, .. definitionHashes]),
            StartedUtc = load.StartedUtc,
            Operations = scenario.Operations,
            Concurrency = scenario.Concurrency,
            SignalWorkers = scenario.SignalWorkers,
            Lanes = counts.Lanes,
            DurationMs = duration.TotalMilliseconds,
            ThroughputPerSecond = duration > TimeSpan.Zero ? ledger.Completed / duration.TotalSeconds : 0,
            Latency = LatencyResult.From(wave.Histogram(o => o.BeganTicks, completed => completed)),
            FailedLatency = measured.Fail.Count == 0 ? null : LatencyResult.From(measured.Fail.Latency),
            Phases = phases,
            ServerSplit = subject.Observer.ServerSplit.Count == 0 ? null : subject.Observer.ServerSplit.ToDictionary(s => s.Key, s => LatencyResult.From(s.Value)),
            Ledger = ledger,
            Backend = new BackendCounters
            {
                Raw = new Dictionary<string, double> { ["engine.flushes"] = counts.Flushes, ["engine.signals"] = counts.Signals },
                PerOperation = new Dictionary<string, double?> { ["commits"] = (double)counts.Flushes / scenario.Operations },
                Notes = ["Commits are the engine's own count of its flushes. Server-side counters are not collected here."],
            },
            Generator = GeneratorOf(load.Health),
            Verdict = Judge(scenario, load, ledger, phases, wave),
            Notes = NotesOf(scenario, subject),
        };
    }

    private static LedgerResult LedgerOf(
        WorkflowScenario scenario, WorkflowSubject subject, LoadTesting.Core.Load.ScenarioResult measured, Wave wave, SubjectCounts counts)
    {
        var outcomes = wave.Operations.ToLookup(o => o.Outcome);
        var started = outcomes[SendOutcome.Accepted].Count();
        var completed = wave.Completed().Count();
        var failed = scenario.StartsInstances ? (int)counts.Failed : 0;
        var waiting = (int)Math.Min(scenario.StartsInstances ? counts.Live : counts.Buffered, started - completed - failed);
        var seen = subject.Observer.Awaiter.Snapshot();
        return new LedgerResult
        {
            Requested = scenario.Operations,
            Dropped = measured.Dropped + outcomes[SendOutcome.NotSent].Count(),
            Refused = outcomes[SendOutcome.Refused].Count(),
            Unknown = outcomes[SendOutcome.Unknown].Count(),
            Started = started,
            Completed = completed,
            Failed = failed,
            Waiting = waiting,
            Stuck = Math.Max(0, started - completed - failed - waiting),
            RuntimeConflicts = counts.Conflicts,
            Lost = seen.Lost,
            Duplicate = seen.Duplicate,
            Late = seen.Late,
            Unmatched = seen.Unmatched + seen.Buffered,
        };
    }

    private static Dictionary<string, LatencyResult> PhasesOf(WorkflowScenario scenario, LoadTesting.Core.Load.ScenarioResult measured, Wave wave)
    {
        var phases = new Dictionary<string, LatencyResult>(StringComparer.Ordinal);
        foreach (var phase in scenario.Phases)
        {
            phases[phase] = LatencyResult.From(phase switch
            {
                PhaseNames.SignalToFirstCompletion => wave.Histogram(o => o.PublishedTicks, completed => completed),
                PhaseNames.SignalToCompletion => wave.Histogram(o => o.PublishedTicks, _ => wave.IdleTicks),
                PhaseNames.StartToCompletion => wave.Histogram(o => o.BeganTicks, completed => completed),
                PhaseNames.DueToCompletion => wave.Histogram(o => o.PublishedTicks + Ticks(scenario.DueAfter), completed => completed),
                PhaseNames.DrainToIdle => Drain(wave),
                _ => measured.FindStep(phase)?.Ok.Latency ?? new LatencyHistogram(),
            });
        }

        return phases;
    }

    private static LatencyHistogram Drain(Wave wave)
    {
        var histogram = new LatencyHistogram();
        if (wave.Completed().Select(c => c.CompletedTicks).DefaultIfEmpty(0).Max() is > 0 and var last)
        {
            histogram.RecordStopwatchTicks(Math.Max(0, wave.IdleTicks - last));
        }

        return histogram;
    }

    private static VerdictResult Judge(
        WorkflowScenario scenario, LoadResult load, LedgerResult ledger, Dictionary<string, LatencyResult> phases, Wave wave)
    {
        var failures = ledger.Violations().ToList();
        if (ledger.Completed != scenario.Operations)
        {
            failures.Add($"{ledger.Completed} of {scenario.Operations} operations completed");
        }

        foreach (var (phase, latency) in phases)
        {
            var wanted = phase == PhaseNames.DrainToIdle ? 1 : scenario.Operations;
            if (latency.N != wanted)
            {
                failures.Add($"phase {phase} has {latency.N} samples where {wanted} are due");
            }
        }

        var early = scenario.DueAfter == TimeSpan.Zero ? 0 : wave.Completed().Count(c => c.CompletedTicks < c.Operation.PublishedTicks + Ticks(scenario.DueAfter) - Ticks(ClockTolerance));
        if (early > 0)
        {
            failures.Add($"{early} signals were delivered before they were due");
        }

        failures.AddRange(load.Scenarios[0].Fail.StatusCodes.Select(code => $"{code.Count} operations failed: {code.StatusCode} {code.Message}"));
        if (failures.Count > 0)
        {
            return new(VerdictOutcome.Failed, failures);
        }

        return load.Health.Verdict == GeneratorVerdict.Bound
            ? new(VerdictOutcome.Inconclusive, [.. load.Health.Evidence.Select(e => e.Text)])
            : new(VerdictOutcome.Passed, []);
    }

    /// <summary>The wall clock that sets the due time and the monotonic clock that measures may drift apart by this much in 2 s.</summary>
    private static TimeSpan ClockTolerance => TimeSpan.FromMilliseconds(5);

    private static long Ticks(TimeSpan span) => (long)(span.TotalSeconds * Stopwatch.Frequency);

    private static GeneratorResult GeneratorOf(GeneratorHealth health) => new()
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
        var notes = new List<string> { scenario.Question, "Warmed up with 32 operations that are not part of the result." };
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
