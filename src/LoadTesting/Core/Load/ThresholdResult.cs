namespace LoadTesting.Core.Load;

/// <summary>A threshold and whether it holds.</summary>
/// <param name="Metric">The metric, e.g. <c>p99Ms</c> or <c>start.p95Ms</c>; the name of a rule that is code.</param>
/// <param name="Limit">The condition, e.g. <c>&lt;= 50</c>.</param>
/// <param name="Measured">The metric's value; null if there is none or the rule is code.</param>
/// <param name="N">Number of samples; 0 or more.</param>
/// <param name="Outcome">Passed, failed or not enough samples.</param>
/// <param name="Kind">Whether a miss is a wrong result or a slow one.</param>
public sealed record ThresholdResult(
    string Metric, string Limit, double? Measured, long N, ThresholdOutcome Outcome, ThresholdKind Kind)
{
    /// <summary>Samples that the rule requires; null for the default of its metric, or if it is code.</summary>
    public long? MinimumN { get; init; }

    /// <summary>The result in words.</summary>
    public override string ToString()
    {
        var measured = Measured is { } value ? string.Create(CultureInfo.InvariantCulture, $" with {value:0.###}") : "";
        var finding = Outcome switch
        {
            ThresholdOutcome.Passed => "holds" + measured,
            ThresholdOutcome.Failed => "missed" + measured,
            _ => "too few samples to judge",
        };
        return string.Create(CultureInfo.InvariantCulture, $"threshold {Metric} {Limit}: {finding} (n = {N})");
    }
}
