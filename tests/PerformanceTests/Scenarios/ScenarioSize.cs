namespace PerformanceTests.Scenarios;

/// <summary>How large a scenario is; chosen by <c>WORKFLOW_PERF_SIZE</c>.</summary>
public enum ScenarioSize
{
    /// <summary>The counts of the Oracle baseline of 2026-03-17: for the comparison.</summary>
    Seed,

    /// <summary>Thousands of operations: so that a percentile means something.</summary>
    Xl,
}
