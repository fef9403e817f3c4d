namespace LoadTesting.Core.Reporting.Tables;

/// <summary>
/// The verdicts of a run: of its scenarios and of its searches for the capacity. A closed ladder alone has no verdict.
/// </summary>
internal static class RunVerdicts
{
    public static IReadOnlyList<(string Name, VerdictOutcome Outcome)> Of(RunResult run) =>
        [.. Measured.EachOf(run).Select(measured => (measured.Scenario.Name, measured.Scenario.Verdict.Outcome))];

    /// <summary>Null where there is none.</summary>
    public static VerdictOutcome? Worst(RunResult run) => Worst(Of(run).Select(verdict => verdict.Outcome));

    /// <summary>Null where there is none.</summary>
    public static VerdictOutcome? Worst(IEnumerable<VerdictOutcome> outcomes)
    {
        var known = outcomes.ToHashSet();
        return known.Count == 0 ? null
            : known.Contains(VerdictOutcome.Failed) ? VerdictOutcome.Failed
            : known.Contains(VerdictOutcome.Inconclusive) ? VerdictOutcome.Inconclusive
            : VerdictOutcome.Passed;
    }
}
