namespace LoadTesting.Core.Analysis;

/// <summary>
/// How many scenarios a run has measured, by verdict: the one number of scenarios that terminal, report, <c>wfperf
/// watch</c> and baselines show. A search for the capacity is one. One that was measured several times counts once, by
/// its newest result, or as failed where one of them is. What was skipped was not measured.
/// </summary>
public sealed record ScenarioCounts(int Passed, int Failed, int Inconclusive)
{
    /// <summary>Of all verdicts.</summary>
    public int All => Passed + Failed + Inconclusive;

    public static ScenarioCounts Of(RunResult run) => Of(Measured.EachOf(run));

    internal static ScenarioCounts Of(IReadOnlyList<Measured> measured) =>
        new(Count(measured, VerdictOutcome.Passed), Count(measured, VerdictOutcome.Failed),
            Count(measured, VerdictOutcome.Inconclusive));

    /// <summary>The number with its noun: <c>1 scenario</c>.</summary>
    public string Number() => Quantity.Of(All, "scenario");

    /// <summary><c>2 of 3 scenarios passed</c>.</summary>
    public string PassedOfAll() => $"{Quantity.Of(Passed, All, "scenario")} passed";

    /// <summary>By verdict: <c>2 passed, 0 failed, 1 inconclusive</c>.</summary>
    public string Verdicts() =>
        string.Create(
            CultureInfo.InvariantCulture, $"{Passed:#,0} passed, {Failed:#,0} failed, {Inconclusive:#,0} inconclusive");

    /// <summary><c>3 scenarios: 2 passed, 0 failed, 1 inconclusive</c>.</summary>
    public override string ToString() => $"{Number()}: {Verdicts()}";

    private static int Count(IReadOnlyList<Measured> measured, VerdictOutcome outcome) =>
        measured.Count(one => one.Scenario.Verdict.Outcome == outcome);
}
