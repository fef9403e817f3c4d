using System.Globalization;
using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Gating;

/// <summary>Why a leg says nothing about times: its pair is dropped, both legs of it.</summary>
internal static class LegVetoes
{
    /// <summary>A sentence for each reason; empty when the leg counts.</summary>
    /// <param name="leg">What to call the leg.</param>
    /// <param name="run">The run it is from.</param>
    /// <param name="scenario">Its result.</param>
    /// <param name="stealLimit">Share of processor time, 0 to 1, that the hypervisor may give to others.</param>
    public static IEnumerable<string> Of(string leg, RunResult run, ScenarioResult scenario, double stealLimit)
    {
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return $"{leg}: {(scenario.Verdict.Outcome == VerdictOutcome.Failed ? "failed" : "inconclusive")}: {string.Join("; ", scenario.Verdict.Reasons)}";
        }
        else if (scenario.Generator?.Health == GeneratorState.Bound)
        {
            yield return $"{leg}: the generator was the limit: {string.Join("; ", scenario.Generator.Evidence)}";
        }

        foreach (var veto in scenario.Validity?.Vetoes ?? [])
        {
            yield return $"{leg}: {veto}";
        }

        if (run.Environment.StealShare > stealLimit)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture, $"{leg}: the hypervisor gave {run.Environment.StealShare:0.0 %} of the processors to others; the limit is {stealLimit:0.0 %}");
        }
    }
}
