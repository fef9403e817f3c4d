namespace LoadTesting.Core.Load.Watches;

/// <summary>What a probe has read.</summary>
/// <param name="Probe">The probe.</param>
/// <param name="Seconds">When, in seconds since the sampler started, ascending.</param>
/// <param name="Values">What, one for each moment.</param>
/// <param name="Error">Why it ended early; null when it did not.</param>
public sealed record LeakSeries(LeakProbe Probe, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values, string? Error = null);
