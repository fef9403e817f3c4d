namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What every report says of the time axis: stalls, errors and thresholds.</summary>
public static class TimelineWords
{
    private const int WaitsNamed = 2;

    /// <summary>Whose a stall is.</summary>
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
        ArgumentNullException.ThrowIfNull(stall);
        var waits = stall.Waits is { Count: > 0 } all
            ? "; sessions of the database meanwhile: "
                + string.Join(", ", all.Take(WaitsNamed).Select(wait => $"{wait.Key} {Figures.Rate(wait.Value)}"))
            : "";
        return $"stall: nothing completed for {Figures.Ms(stall.DurationMs)} ms from {Figures.Rate(stall.AtMs / 1000)} s on, "
            + $"{Figures.Count(stall.Iterations)} in flight; cause: {Word(stall.Cause)}{waits}";
    }

    public static string Sentence(ErrorResult error)
    {
        ArgumentNullException.ThrowIfNull(error);
        return $"{Figures.Count(error.Count)} failed: {Named(error)}";
    }

    /// <summary>What a reader must not miss, a sentence each: stalls, thresholds that do not hold, errors.</summary>
    internal static IEnumerable<string> Remarks(ScenarioResult scenario) =>
    [
        .. (scenario.Stalls ?? []).Select(Sentence),
        .. (scenario.Thresholds ?? []).Where(threshold => threshold.Outcome != ThresholdOutcome.Passed)
            .Select(threshold => threshold.ToString()),
        .. (scenario.Errors ?? []).Select(Sentence),
    ];

    internal static string Named(ErrorResult error) => (error.Code.Length, error.Message.Length) switch
    {
        (0, 0) => "without code or message",
        (0, _) => error.Message,
        (_, 0) => error.Code,
        _ => $"{error.Code} {error.Message}",
    };
}
