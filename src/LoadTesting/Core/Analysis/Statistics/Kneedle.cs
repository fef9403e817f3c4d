namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Kneedle (Satopaa, Albrecht, Irwin, Raghavan: "Finding a 'Kneedle' in a Haystack", ICDCS workshops 2011) for a convex, rising curve such
/// as latency over load. Both axes are scaled to 0..1; D = x - y says how far the curve lies below its chord; a local maximum of D is a
/// knee once D has fallen below that maximum by the sensitivity times the mean distance of the points. The curve is not smoothed: points
/// are few.
/// </summary>
public static class Kneedle
{
    private const int LeastPoints = 4;

    /// <param name="points">In ascending order of x; at least four.</param>
    /// <param name="sensitivity">How much D must fall, in mean distances of points; over 0. Default 1; smaller finds fainter knees.</param>
    /// <exception cref="ArgumentOutOfRangeException">The sensitivity is not over 0.</exception>
    public static KneePoint Find(IReadOnlyList<(double X, double Y)> points, double sensitivity = 1)
    {
        ArgumentNullException.ThrowIfNull(points);
        if (!(sensitivity > 0))
        {
            throw new ArgumentOutOfRangeException(
                nameof(sensitivity), sensitivity, $"A sensitivity of {sensitivity} is not over 0; 1 is usual.");
        }

        if (Refuse(points) is { } reason)
        {
            return new KneePoint(null, null, reason);
        }

        var (lowX, highX) = (points[0].X, points[^1].X);
        var (lowY, highY) = (points.Min(point => point.Y), points.Max(point => point.Y));
        var below = points.Select(point => ((point.X - lowX) / (highX - lowX)) - ((point.Y - lowY) / (highY - lowY))).ToArray();
        return Scan(points, below, sensitivity / (points.Count - 1));
    }

    private static KneePoint Scan(IReadOnlyList<(double X, double Y)> points, double[] below, double fall)
    {
        int? candidate = null;
        for (var index = 1; index < below.Length; index++)
        {
            // D is 0 at both ends of the chord: only what lies below it bends the right way.
            var isPeak = index < below.Length - 1 && below[index] > below[index - 1] && below[index] >= below[index + 1]
                && below[index] > 0;
            if (isPeak)
            {
                candidate = index;
            }
            else if (candidate is { } peak && below[index] < below[peak] - fall)
            {
                return new KneePoint(peak, points[peak].X, null);
            }
        }

        return new KneePoint(null, null, candidate is null
            ? "no knee: the curve nowhere bends upwards"
            : "no knee: the bend is fainter than the distance of the points");
    }

    private static string? Refuse(IReadOnlyList<(double X, double Y)> points)
    {
        if (points.Count < LeastPoints)
        {
            return $"no knee: {points.Count} points, at least {LeastPoints} are needed";
        }

        for (var index = 0; index < points.Count; index++)
        {
            if (!double.IsFinite(points[index].X) || !double.IsFinite(points[index].Y))
            {
                return string.Create(
                    CultureInfo.InvariantCulture, $"no knee: point {index} is ({points[index].X}, {points[index].Y}), which is not finite");
            }

            if (index > 0 && points[index].X <= points[index - 1].X)
            {
                return string.Create(
                    CultureInfo.InvariantCulture, $"no knee: x {points[index].X} follows {points[index - 1].X}; x must rise");
            }
        }

        return points[^1].Y > points[0].Y ? null : "no knee: the last point is no higher than the first";
    }
}

/// <summary>Where a curve bends, or why no bend is found.</summary>
/// <param name="Index">Place of the knee among the points; null without one.</param>
/// <param name="X">Its x; null without one.</param>
/// <param name="Reason">Why there is none; null with one.</param>
public sealed record KneePoint(int? Index, double? X, string? Reason);
