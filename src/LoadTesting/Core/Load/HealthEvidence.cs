namespace LoadTesting.Core.Load;

/// <summary>One limit that was exceeded.</summary>
/// <param name="Signal">Which: scheduleLagP99Share (or P95, P90), scheduleLagP50Share, achievedRatio, dropped, cpu, gcPause, threadPoolQueue or jitter.</param>
/// <param name="Measured">The value.</param>
/// <param name="Limit">What it had to stay within.</param>
/// <param name="Text">The finding in words, with what to do about it.</param>
public sealed record HealthEvidence(string Signal, double Measured, double Limit, string Text);
