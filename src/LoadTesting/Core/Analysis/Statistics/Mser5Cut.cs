namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>Where a series becomes steady.</summary>
/// <param name="Values">Values at the beginning that belong to the warm-up.</param>
/// <param name="Batches">Batches of <see cref="Mser5.BatchSize"/> values that were looked at.</param>
/// <param name="IsSteady">False where the best cut is the last that was allowed, half of the series: then it has not
/// settled.</param>
public sealed record Mser5Cut(int Values, int Batches, bool IsSteady);
