namespace PerformanceTests.Calibration;

/// <summary>
/// The retry rule of the calibration: a measurement that a busy neighbour disturbed, by the run's own jitter ticker, is
/// repeated, at most
/// <see cref="MaximumAttempts"/> times in all. The last one is judged whatever the ticker says, so a broken instrument
/// still fails.
/// </summary>
internal static class QuietMeasurement
{
    private const int MaximumAttempts = 3;

    /// <summary>
    /// Measures until no more than <paramref name="jitterLimitMs"/> of lateness was seen in 99 % of the ticks.
    /// </summary>
    internal static async Task<LoadResult> TakeAsync(double jitterLimitMs, Func<Task<LoadResult>> measure)
    {
        for (var attempt = 1; ; attempt++)
        {
            var result = await measure();
            if (result.Health.Process.JitterP99Ms <= jitterLimitMs || attempt == MaximumAttempts)
            {
                return result;
            }
        }
    }
}
