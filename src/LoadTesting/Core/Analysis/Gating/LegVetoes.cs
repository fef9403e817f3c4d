using System.Globalization;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Why a leg says nothing about times: its pair is dropped, both legs of it.</summary>
internal static class LegVetoes
{
    /// <summary>Share of processor time that the hypervisor may give to others, where the result has no finer measure.</summary>
    private const double MostSteal = 0.02;

    /// <summary>A sentence for each reason; empty when the leg counts.</summary>
    /// <param name="leg">What to call the leg.</param>
    /// <param name="run">The run it is from.</param>
    /// <param name="scenario">Its result.</param>
    public static IEnumerable<string> Of(string leg, RunResult run, ScenarioResult scenario)
    {
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return $"{leg}: {(scenario.Verdict.Outcome == VerdictOutcome.Failed ? "failed" : "inconclusive")}: {string.Join("; ", scenario.Verdict.Reasons)}";
        }
        else if (scenario.Generator?.Health == GeneratorState.Bound)
        {
            yield return $"{leg}: the generator was the limit: {string.Join("; ", scenario.Generator.Evidence)}";
        }
        else if (scenario.Validity is { Valid: false } invalid)
        {
            yield return $"{leg}: invalid: {string.Join("; ", invalid.Checks.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => check.Reason))}";
        }

        foreach (var veto in scenario.Validity?.Vetoes ?? [])
        {
            yield return $"{leg}: {veto}";
        }

        if (scenario.Validity is null && run.Environment.StealShare > MostSteal)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture, $"{leg}: the hypervisor gave {run.Environment.StealShare:0.0 %} of the processors to others; the limit is {MostSteal:0.0 %}");
        }
    }
}
