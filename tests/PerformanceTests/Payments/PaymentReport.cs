using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using Payments.Service.Configuration;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Measurement;
using PerformanceTests.Running;

namespace PerformanceTests.Payments;

/// <summary>Turns what a payment scenario measured into a result with a verdict.</summary>
internal static class PaymentReport
{
    public static ScenarioResult Make(
        PaymentScenario scenario,
        BackendProfile profile,
        LoadResult load,
        PaymentRun run,
        PaymentObserver observer,
        ValidityResult validity,
        ResourceObservation resources,
        CollectedCounters? server)
    {
        var measured = load.Scenarios[0];
        var ledger = LedgerOf(scenario, measured, run);
        double? residence = measured.Ok.Count == 0 ? null : measured.Ok.Service.AverageMs / 1_000;
        var steps = scenario.Steps.ToDictionary(
            step => step, step => LatencyResult.From(measured.FindStep(step)?.Ok.Service ?? new LatencyHistogram()), StringComparer.Ordinal);
        return new ScenarioResult
        {
            Name = $"{profile.Name}-{scenario.Form.Name}",
            Tier = scenario.Form.Tier,
            Profile = profile.Name,
            Hosting = HostingKind.InProcess,
            LoadEngine = load.Engine,
            LoadModel = string.Join("; ", measured.Simulations),
            DefinitionHash = ContentHash.Of([scenario.GetType().Name, $"{PaymentScenario.Amount} {PaymentScenario.Currency}", $"{scenario.SettledDelay}"]),
            StartedUtc = load.StartedUtc,
            Operations = scenario.Form.Operations,
            DurationMs = measured.Duration.TotalMilliseconds,
            ThroughputPerSecond = ledger.Completed / measured.Duration.TotalSeconds,
            Latency = LatencyResult.From(measured.Ok.Latency),
            FailedLatency = measured.Fail.Count == 0 ? null : LatencyResult.From(measured.Fail.Latency),
            Clocks = new Dictionary<string, LatencyResult>
            {
                ["scheduleLag"] = LatencyResult.From(measured.ScheduleLag),
                ["service"] = LatencyResult.From(measured.Ok.Service),
                ["response"] = LatencyResult.From(measured.Ok.Response),
            },
            Phases = steps,
            ServerSplit = observer.ServerSplit.Count == 0 ? null : observer.ServerSplit.ToDictionary(s => s.Key, s => LatencyResult.From(s.Value)),
            Ledger = ledger,
            Backend = BackendOf(run, server),
            Resources = resources.ToResult(ledger.Completed),
            Findings = FindingRules.Judge(resources.ToInputs(load, ledger.Completed, residence, server, queueWaitSeconds: null)),
            Generator = ScenarioReport.GeneratorOf(load.Health),
            Validity = validity,
            Verdict = Judge(load, ledger, steps, validity),
            Notes = [.. NotesOf(scenario, measured), .. load.Notes, .. resources.Notes],
        };
    }

    /// <summary>How the events travelled, in words.</summary>
    public static string OverBroker(PaymentSettings settings) =>
        "Events go over RabbitMQ: persistent messages, durable classic queues, publisher confirms; each of the service's four consumers has prefetch "
        + $"{settings.ConcurrentMessages}, the test's own {PaymentObserver.ConcurrentMessages}. All were bound before the load began, and the warm-up's events had come.";

    private static LedgerResult LedgerOf(PaymentScenario scenario, ScenarioStats measured, PaymentRun run)
    {
        var seen = run.Awaiter.Snapshot();
        return new LedgerResult
        {
            Requested = scenario.Form.Operations,
            Dropped = measured.Dropped,
            Refused = run.Refused,
            Unknown = run.Unknown,
            Started = run.Accepted,
            Completed = run.Completed,
            Stuck = run.Accepted - run.Completed,
            Lost = seen.Lost,
            Duplicate = seen.Duplicate,
            Late = seen.Late,
            Unmatched = seen.Unmatched + seen.Buffered,
        };
    }

    private static BackendCounters BackendOf(PaymentRun run, CollectedCounters? server)
    {
        var backend = server?.ToResult(run.Completed) ?? new BackendCounters { Notes = ["Memory has no server that counts."] };
        return backend with
        {
            Raw = new Dictionary<string, double>(backend.Raw) { ["service.httpRequests"] = run.Requests },
            PerOperation = new Dictionary<string, double?>(backend.PerOperation)
            {
                ["httpRequests"] = run.Completed == 0 ? null : (double)run.Requests / run.Completed,
            },
        };
    }

    private static VerdictResult Judge(
        LoadResult load, LedgerResult ledger, Dictionary<string, LatencyResult> steps, ValidityResult validity)
    {
        var failures = ledger.Violations().ToList();
        if (ledger.Completed != ledger.Requested)
        {
            failures.Add($"{ledger.Completed} of {ledger.Requested} operations completed");
        }

        failures.AddRange(steps.Where(step => step.Value.N != ledger.Requested)
            .Select(step => $"step {step.Key} has {step.Value.N} samples where {ledger.Requested} are due"));

        // The store's own account among them: every payment that was acknowledged, and no other, went through all four consumers.
        return ScenarioReport.Conclude(failures, load, validity);
    }

    private static List<string> NotesOf(PaymentScenario scenario, ScenarioStats measured)
    {
        List<string> notes =
        [
            scenario.Question,
            .. scenario.Remarks,
            $"Warmed up with {scenario.Form.WarmUpOperations} operations that are not part of the result.",
            "Latency is from the intended start; steps are from their actual start.",
            "Generator, service and consumers share one process; the API is called over HTTP on the loopback.",
        ];
        if (scenario.SettledDelay.Max > TimeSpan.Zero)
        {
            notes.Add($"The consumer of PaymentSettled takes {scenario.SettledDelay.Min.TotalSeconds} to {scenario.SettledDelay.Max.TotalSeconds} s more.");
        }

        notes.AddRange(measured.Steps.Where(step => step.EndBeforeStart > 0)
            .Select(step => $"{step.EndBeforeStart} of {step.Name} ended before the step before them was seen, and count as 0."));
        return notes;
    }
}
