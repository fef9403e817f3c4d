namespace PerformanceTesting.Measurement;

/// <summary>A result that was written, for the test that asked for it.</summary>
/// <param name="Summary">Verdict, key figures and the report's path, for the terminal.</param>
public sealed record RunReport(ScenarioResult Result, string Summary);
