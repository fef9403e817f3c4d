namespace LoadTesting.Core.Analysis;

/// <summary>What a search for the capacity found in one column.</summary>
/// <param name="Capacity">The newest search of the run; null when it holds none.</param>
/// <param name="Ratio">
/// Its limit over that of the first column; null unless both were found and the two are alike.
/// </param>
/// <param name="Interval">What the ratio may be by the ends of both brackets; null with it.</param>
/// <param name="Unlike">What forbids a ratio, in words; empty when nothing does.</param>
public sealed record CapacityCell(
    ComparisonColumn Column, CapacityResult? Capacity, double? Ratio, IntervalResult? Interval,
    IReadOnlyList<string> Unlike)
{
    internal static CapacityCell Of(ComparisonColumn column, Measured? first, Measured? other, bool isFirst)
    {
        var cell = new CapacityCell(column, other?.Capacity, null, null, []);
        if (isFirst || first?.Capacity?.Bracket is not { } a || other?.Capacity?.Bracket is not { } b)
        {
            return cell;
        }

        var unlike = column.Differences.Concat(Comparability.OfScenarios(
                first.Scenario with { DefinitionHash = "" }, other.Scenario with { DefinitionHash = "" }))
            .Where(difference => difference.ForbidsVerdict).Select(difference => difference.What).Distinct().ToList();
        return unlike.Count > 0 ? cell with { Unlike = unlike } : cell with
        {
            Ratio = other.Capacity.LimitPerSecond / first.Capacity.LimitPerSecond,
            Interval = new(b.Low / a.High, b.High / a.Low),
        };
    }
}
