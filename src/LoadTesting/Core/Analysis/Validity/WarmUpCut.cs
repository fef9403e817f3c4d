namespace LoadTesting.Core.Analysis.Validity;

/// <summary>Judges whether and where the measured part reached a steady state.</summary>
public static class WarmUpCut
{
    public const string CheckName = "steadyState";

    public const long MinimumCompletions = CompletionSeries.FirstGroupSize * Mser5.MinimumValues;

    private const double MaxShare = 0.5;

    /// <param name="series">At least <see cref="MinimumCompletions"/> values in milliseconds, in order of
    /// completion.</param>
    /// <param name="what">What the values are, e.g. <c>latency</c>.</param>
    /// <exception cref="ArgumentException">There are too few values.</exception>
    public static (WarmUpResult Result, CheckResult Check) Find(CompletionSeries series, string what)
    {
        var cut = Mser5.Find(series.Means);
        var completions = cut.Values * (long)series.GroupSize;
        var share = (double)cut.Values / series.Means.Count;
        var result = new WarmUpResult
        {
            Method = "MSER-5",
            Series = what,
            Completions = series.Count,
            CutCompletions = completions,
            Steady = cut.IsSteady,
            SettledMeanMs = series.Means.Skip(cut.Values).Average(),
            MeanMs = series.Means.Average(),
        };

        // The limit is where the search ends: a cut there is not a warm-up but a series without a steady part.
        return (result, new CheckResult(
            CheckName,
            CheckSubject.System,
            cut.IsSteady ? CheckOutcome.Passed : CheckOutcome.Failed,
            share,
            MaxShare,
            cut.IsSteady
                ? string.Create(CultureInfo.InvariantCulture,
                    $"settled after {completions} of {series.Count} completions, {100 * share:0.#} % ({what}, MSER-5)")
                : $"not settled: of {series.Count} completions the best cut is the last allowed, half of them ({what}, MSER-5)"));
    }
}
