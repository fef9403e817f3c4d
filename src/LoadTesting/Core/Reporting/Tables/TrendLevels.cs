using LoadTesting.Core.Analysis.Trends;
using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The levels of a series between its changes.</summary>
internal static class TrendLevels
{
    /// <summary>First night, the one after the last, and median of each level; at least one.</summary>
    public static IReadOnlyList<(int Start, int End, double Value)> Of(HistorySeries series)
    {
        var starts = TrendWords.Agreed(series).Select(change => change.Point.Index).Prepend(0).ToList();
        return [.. starts.Zip(starts.Skip(1).Append(series.Points.Count), (start, end) => (start, end, Median(series, start, end)))];
    }

    private static double Median(HistorySeries series, int start, int end) =>
        series.Points.Skip(start).Take(end - start).Select(point => point.Value).Median();
}
