namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>Where a curve bends, or why no bend can be told.</summary>
/// <param name="Index">Place of the knee among the points; null without one.</param>
/// <param name="X">Its x; null without one.</param>
/// <param name="Reason">Why there is none; null with one.</param>
public sealed record KneePoint(int? Index, double? X, string? Reason);
