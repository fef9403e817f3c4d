namespace LoadTesting.Core.Load;

/// <summary>How a threshold was judged.</summary>
/// <param name="Name">The threshold.</param>
/// <param name="IsFailed">True where it does not hold, has too few samples, or could not be judged.</param>
/// <param name="Count">Successful samples it had.</param>
/// <param name="MinimumCount">Successful samples it needs.</param>
/// <param name="Reason">Why, in words.</param>
public sealed record ThresholdResult(string Name, bool IsFailed, long Count, long MinimumCount, string Reason);
