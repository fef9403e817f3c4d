namespace PerformanceTesting.Measurement;

/// <summary>The results of a measurement.</summary>
/// <param name="Results">One for each scenario, in their order.</param>
/// <param name="Total">The only result, or the sum of several scenarios that ran at the same time.</param>
/// <param name="Evidence">What the observers saw.</param>
public sealed record MeasuredRun(IReadOnlyList<ScenarioResult> Results, ScenarioResult Total, RunEvidence Evidence);
