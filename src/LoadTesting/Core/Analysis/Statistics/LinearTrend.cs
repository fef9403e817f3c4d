using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Ordinary least squares through (x, y): slope and its one-sided 95 % upper limit by Student's t with n - 2 degrees of
/// freedom. The limit takes residuals as independent; those of a sampled gauge are not quite, so it is a little low.
/// </summary>
public sealed record LinearTrend(double Slope, double SlopeUpper95)
{
    private const double Confidence = 0.95;

    /// <summary>Fits; null with fewer than three points, or when all have one x: there is no slope then.</summary>
    public static LinearTrend? Of(IReadOnlyList<(double X, double Y)> points)
    {
        if (points.Count < 3)
        {
            return null;
        }

        var (meanX, meanY) = (points.Average(point => point.X), points.Average(point => point.Y));
        var spread = points.Sum(point => (point.X - meanX) * (point.X - meanX));
        if (!(spread > 0))
        {
            return null;
        }

        var slope = points.Sum(point => (point.X - meanX) * (point.Y - meanY)) / spread;
        var freedom = points.Count - 2;
        var residual = points.Sum(point => Math.Pow(point.Y - meanY - (slope * (point.X - meanX)), 2)) / freedom;
        return new LinearTrend(
            slope, slope + (StudentT.InvCDF(0, 1, freedom, Confidence) * Math.Sqrt(residual / spread)));
    }
}
