using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Measurement;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>Adds to a result what its processes used, and where its response time went.</summary>
internal static class ScenarioFindings
{
    public static ScenarioResult Add(ScenarioResult result, WorkflowScenario scenario, LoadResult load, ResourceObservation seen, CollectedCounters? server)
    {
        var completed = result.Ledger?.Completed ?? 0;
        var queueWait = result.ServerSplit?.GetValueOrDefault("queueWait")?.AverageMs / 1000;
        var inputs = seen.ToInputs(load, completed, ResponseSeconds(result, scenario), server, queueWait);
        return result with
        {
            Resources = seen.ToResult(completed),
            Findings = FindingRules.Judge(inputs),
            Notes = [.. result.Notes, .. seen.Notes],
        };
    }

    /// <summary>
    /// The system's own response time. In a wave an operation also waits for the others, and a delayed signal for its time: neither is a resource's
    /// doing, and the phases leave it out.
    /// </summary>
    private static double? ResponseSeconds(ScenarioResult result, WorkflowScenario scenario)
    {
        double? Mean(string phase) => result.Phases.GetValueOrDefault(phase)?.AverageMs / 1000;

        return scenario.Shape != WaveShape.Together
            ? result.Latency.AverageMs / 1000
            : Mean(PhaseNames.StartToCompletion) ?? Mean(PhaseNames.DueToCompletion)
                ?? (Mean(PhaseNames.Start) ?? 0) + Mean(PhaseNames.SignalToFirstCompletion) ?? result.Latency.AverageMs / 1000;
    }
}
