namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>A robust straight line through points, and how sure its slope is.</summary>
/// <param name="Slope">Median of the slopes of all pairs, in units of y per unit of x.</param>
/// <param name="Low">Lower end of the slope's confidence interval; equal to <paramref name="Slope"/> where all pairs agree.</param>
/// <param name="High">Upper end of the slope's confidence interval.</param>
/// <param name="Intercept">The line's value at x = 0: median of y - slope x.</param>
/// <param name="Count">Points used.</param>
public sealed record TheilSenSlope(double Slope, double Low, double High, double Intercept, int Count)
{
    /// <summary>Whether the interval leaves 0 out.</summary>
    public bool ExcludesZero => Low > 0 || High < 0;

    /// <summary>The line at <paramref name="x"/>.</summary>
    public double At(double x) => Intercept + (Slope * x);
}
