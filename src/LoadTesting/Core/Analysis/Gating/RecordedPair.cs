using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>A pair as it was recorded, with all scenarios of its two runs.</summary>
/// <param name="Number">From 1.</param>
/// <param name="Base">Run of the base; null when it left no result.</param>
/// <param name="Candidate">Run of the candidate; null when it left no result.</param>
/// <param name="Failures">Why a leg left no result, a text each.</param>
public sealed record RecordedPair(int Number, ComparisonSource? Base, ComparisonSource? Candidate, IReadOnlyList<string> Failures);
