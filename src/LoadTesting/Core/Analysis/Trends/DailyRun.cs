namespace LoadTesting.Core.Analysis.Trends;

/// <param name="Commits">A value for each commit that was measured.</param>
/// <param name="Reference">Median of the reference build; null when it was not measured in this daily run.</param>
internal sealed record DailyRun(IReadOnlyList<HistoryPoint> Commits, double? Reference)
{
    /// <summary>The daily runs of a metric in which anything but the reference was measured.</summary>
    public static IReadOnlyList<DailyRun> Of(
        IEnumerable<(HistoryEntry Entry, double Value)> values, string? reference) =>
    [
        .. values.GroupBy(value => value.Entry.DailyRun).Select(daily => One([.. daily], reference))
            .Where(daily => daily.Commits.Count > 0),
    ];

    /// <summary>The values over those of the reference.</summary>
    public IEnumerable<HistoryPoint> Ratios() => Commits.Select(point => point with
    {
        Value = point.Value / Reference!.Value,
        Interval = point.Interval is { } interval
            ? new(interval.Low / Reference.Value, interval.High / Reference.Value) : null,
    });

    private static DailyRun One(IReadOnlyList<(HistoryEntry Entry, double Value)> values, string? reference)
    {
        var pinned = values.ToLookup(value => reference is not null && value.Entry.IsOf(reference));
        return new DailyRun(
            [.. pinned[false].GroupBy(value => value.Entry.Run.Commit).Select(commit => Point([.. commit]))],
            pinned.Contains(true) ? pinned[true].Select(value => value.Value).Median() : null);
    }

    private static HistoryPoint Point(IReadOnlyList<(HistoryEntry Entry, double Value)> repetitions)
    {
        var first = repetitions[0].Entry;
        var brackets = repetitions.Select(value => value.Entry.Capacity?.Bracket).OfType<IntervalResult>().ToList();
        return new HistoryPoint(
            first.Run.CreatedUtc, first.Run, repetitions.Select(value => value.Value).Median(), repetitions.Count)
        {
            DailyRun = first.DailyRun,
            Interval = brackets.Count == 0
                ? null : new(brackets.Min(bracket => bracket.Low), brackets.Max(bracket => bracket.High)),
            Flaw = first.Flaw,
        };
    }
}
