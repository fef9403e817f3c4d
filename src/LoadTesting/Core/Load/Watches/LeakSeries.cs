namespace LoadTesting.Core.Load.Watches;

/// <summary>The readings of a probe.</summary>
/// <param name="Probe">The probe.</param>
/// <param name="Seconds">Times of the readings in seconds since the start of the sampler, ascending.</param>
/// <param name="Values">The values, one per time.</param>
/// <param name="Error">The error of the last failed reading; null if none failed.</param>
/// <param name="Failed">Number of failed readings; 0 or more.</param>
public sealed record LeakSeries(
    LeakProbe Probe, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values, string? Error = null, int Failed = 0);
