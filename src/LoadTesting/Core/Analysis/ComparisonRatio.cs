namespace LoadTesting.Core.Analysis;

/// <summary>A figure over that of the first column.</summary>
/// <param name="Value">The ratio, 0 or more.</param>
/// <param name="Margin">Ratio up to which both count as equal, either way; more than 1.</param>
public sealed record ComparisonRatio(double Value, double Margin);
