namespace LoadTesting.Contracts.Stats;

/// <summary>A threshold and how often it was missed.</summary>
public sealed record ThresholdResult
{
    public string ScenarioName { get; init; } = "";
    public string StepName { get; init; } = "";
    public string CheckExpression { get; init; } = "";

    /// <summary>Why it could not be checked; empty if it could.</summary>
    public string ExceptionMsg { get; init; } = "";

    /// <summary>How many checks failed, intervals and the final one.</summary>
    public int ErrorCount { get; init; }

    /// <summary>Whether any did.</summary>
    public bool IsFailed { get; init; }
}
