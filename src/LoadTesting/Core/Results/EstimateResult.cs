namespace LoadTesting.Core.Results;

/// <summary>One estimate of the capacity, side by side with others.</summary>
/// <param name="Method"><c>criteria</c>, <c>universalScalability</c> or <c>kneedle</c>.</param>
/// <param name="PerSecond">The estimate, operations per second; null where the method gives none.</param>
/// <param name="Reason">Why there is none; null with one.</param>
public sealed record EstimateResult(string Method, double? PerSecond, string? Reason);
