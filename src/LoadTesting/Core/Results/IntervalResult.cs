namespace LoadTesting.Core.Results;

/// <summary>An interval, both ends included.</summary>
/// <param name="Low">Lower end.</param>
/// <param name="High">Upper end.</param>
public sealed record IntervalResult(double Low, double High);
