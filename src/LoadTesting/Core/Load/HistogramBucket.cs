namespace LoadTesting.Core.Load;

/// <summary>One non-empty bucket of a <see cref="LatencyHistogram"/>: durations from <paramref name="LowMs"/> up to and including
/// <paramref name="HighMs"/>.</summary>
/// <param name="LowMs">Smallest duration of the bucket, in milliseconds.</param>
/// <param name="HighMs">Largest duration of the bucket, in milliseconds.</param>
/// <param name="Count">How many durations fell into it; at least 1.</param>
public readonly record struct HistogramBucket(double LowMs, double HighMs, long Count);
