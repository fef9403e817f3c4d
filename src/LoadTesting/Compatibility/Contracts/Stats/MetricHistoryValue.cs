namespace LoadTesting.Contracts.Stats;

/// <param name="Value">The value.</param>
/// <param name="Timestamp">From the beginning of the session.</param>
public sealed record MetricHistoryValue(double Value, TimeSpan Timestamp);
