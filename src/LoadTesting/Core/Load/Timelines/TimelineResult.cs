namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// A scenario over time, from the first intended start to the last completion, without warm-up. The sums over all
/// points equal the ledger's <c>started</c>, <c>completed</c>, <c>refused</c>, <c>dropped</c> and <c>unknown</c>.
/// </summary>
public sealed record TimelineResult
{
    /// <summary>Maximum number of points: in longer runs neighbours are merged and the interval doubles.</summary>
    public const int MostPoints = 600;

    /// <summary>A last point shorter than this share of an interval has no meaningful rate.</summary>
    private const double LeastShare = 0.1;

    /// <summary>Length of a point, milliseconds: 1,000, or times a power of two for runs longer than 600 s.</summary>
    public required long IntervalMs { get; init; }

    /// <summary>
    /// Consecutive points without a gap; at most <see cref="MostPoints"/>. The last one ends with the run and may be
    /// shorter.
    /// </summary>
    public required IReadOnlyList<TimelinePoint> Points { get; init; }

    /// <summary>
    /// The rate per second over neighbouring points. The last point counts with its own length; if that is too short
    /// for a rate, the point before is included.
    /// </summary>
    /// <param name="from">Index of the first point.</param>
    /// <param name="number">Number of points, at least 1; fewer at the end of the timeline.</param>
    /// <param name="count">The count of a point.</param>
    /// <param name="durationMs">Duration of the run from the beginning of the first point, milliseconds.</param>
    internal double PerSecond(int from, int number, Func<TimelinePoint, long> count, double durationMs)
    {
        number = Math.Min(number, Points.Count - from);
        var lasts = Math.Min(number * IntervalMs, durationMs - Points[from].TMs);
        if (lasts <= 0)
        {
            lasts = number * IntervalMs; // Points after the end, such as those of losses, are complete.
        }
        else if (from > 0 && lasts < LeastShare * IntervalMs)
        {
            (from, number, lasts) = (from - 1, number + 1, lasts + IntervalMs);
        }

        return Points.Skip(from).Take(number).Sum(count) * 1000 / lasts;
    }
}
