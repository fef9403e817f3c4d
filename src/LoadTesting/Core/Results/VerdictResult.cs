namespace LoadTesting.Core.Results;

/// <summary>Outcome of a scenario and why.</summary>
/// <param name="Outcome">The outcome.</param>
/// <param name="Reasons">A sentence each, with value and limit; empty when passed without remark.</param>
public sealed record VerdictResult(VerdictOutcome Outcome, IReadOnlyList<string> Reasons);
