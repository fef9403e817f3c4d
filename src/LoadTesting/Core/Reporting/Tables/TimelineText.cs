namespace LoadTesting.Core.Reporting.Tables;

/// <summary>Sentences about stalls, errors and thresholds, for every report.</summary>
public static class TimelineText
{
    private const int WaitsNamed = 2;

    /// <summary>The cause of a stall.</summary>
    internal static string Word(StallCause cause) => cause switch
    {
        StallCause.System => "system",
        StallCause.Generator => "generator",
        StallCause.Machine => "machine",
        _ => "unknown",
    };

    internal static string Word(ThresholdOutcome outcome) => outcome switch
    {
        ThresholdOutcome.Passed => "passed",
        ThresholdOutcome.Failed => "failed",
        _ => "not enough samples",
    };

    public static string Sentence(StallResult stall)
    {
        var waits = stall.Waits is { Count: > 0 } all
            ? "; sessions of the database meanwhile: "
                + string.Join(", ", all.Take(WaitsNamed).Select(wait => $"{wait.Key} {Figures.Rate(wait.Value)}"))
            : "";
        return $"stall: nothing completed for {Figures.Ms(stall.DurationMs)} ms from {Figures.Rate(stall.AtMs / 1000)} "
            + $"s on, {Figures.Count(stall.Iterations)} in flight; cause: {Word(stall.Cause)}{waits}";
    }

    public static string Sentence(ErrorResult error) => $"{Figures.Count(error.Count)} failed: {Named(error)}";

    /// <summary>Stalls, missed thresholds and errors, a sentence each.</summary>
    internal static IEnumerable<string> Remarks(ScenarioResult scenario) =>
    [
        .. (scenario.Stalls ?? []).Select(Sentence),
        .. (scenario.Thresholds ?? []).Where(threshold => threshold.Outcome != ThresholdOutcome.Passed)
            .Select(threshold => threshold.ToString()),
        .. (scenario.Errors ?? []).Select(Sentence),
        .. scenario.WarmUp is { } warmUp ? WarmUpText.Sentences(warmUp) : [],
    ];

    internal static string Named(ErrorResult error) => (error.Code.Length, error.Message.Length) switch
    {
        (0, 0) => "without code or message",
        (0, _) => error.Message,
        (_, 0) => error.Code,
        _ => $"{error.Code} {error.Message}",
    };
}
