namespace LoadTesting.Core.Load.Health;

/// <summary>One limit that was exceeded.</summary>
/// <param name="Signal">The signal: scheduleLagP99Share (or P95, P90), achievedRatio, dropped, cpu, gcPause,
/// poolDelayP99Share (or P95, P90), consumer or jitter.</param>
/// <param name="Measured">The value.</param>
/// <param name="Limit">The limit.</param>
/// <param name="Text">The finding, with what to do about it.</param>
public sealed record HealthEvidence(string Signal, double Measured, double Limit, string Text);
