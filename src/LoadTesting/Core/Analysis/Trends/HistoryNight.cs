using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Analysis.Trends;

/// <summary>The values of a metric in one night.</summary>
/// <param name="Commits">A value for each commit that was measured.</param>
/// <param name="Reference">Median of the reference build; null when it was not measured in this night.</param>
internal sealed record HistoryNight(IReadOnlyList<HistoryPoint> Commits, double? Reference)
{
    /// <summary>The nights of a metric in which anything but the reference was measured.</summary>
    public static IReadOnlyList<HistoryNight> Of(IEnumerable<(HistoryEntry Entry, double Value)> values, string? reference) =>
    [
        .. values.GroupBy(value => value.Entry.Night).Select(night => One([.. night], reference)).Where(night => night.Commits.Count > 0),
    ];

    /// <summary>The values over those of the reference.</summary>
    public IEnumerable<HistoryPoint> Ratios() => Commits.Select(point => point with { Value = point.Value / Reference!.Value });

    private static HistoryNight One(IReadOnlyList<(HistoryEntry Entry, double Value)> values, string? reference)
    {
        var pinned = values.ToLookup(value => reference is not null && value.Entry.IsOf(reference));
        return new HistoryNight(
            [.. pinned[false].GroupBy(value => value.Entry.Run.Commit).Select(commit => Point([.. commit]))],
            pinned.Contains(true) ? pinned[true].Select(value => value.Value).Median() : null);
    }

    private static HistoryPoint Point(IReadOnlyList<(HistoryEntry Entry, double Value)> repetitions)
    {
        var first = repetitions[0].Entry.Run;
        return new HistoryPoint(first.CreatedUtc, first, repetitions.Select(value => value.Value).Median(), repetitions.Count);
    }
}
