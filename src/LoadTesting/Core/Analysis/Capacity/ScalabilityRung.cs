namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>One concurrency and the throughput of each repetition at it.</summary>
/// <param name="Concurrency">Requests at a time, over 0.</param>
/// <param name="ThroughputPerSecond">One figure for each repetition, over 0.</param>
public sealed record ScalabilityRung(double Concurrency, IReadOnlyList<double> ThroughputPerSecond);
