namespace LoadTesting.Core.Results;

/// <summary>Outcome of a scenario.</summary>
public enum VerdictOutcome
{
    /// <summary>Correct, and within every threshold.</summary>
    Passed,

    /// <summary>Incorrect, or a threshold missed.</summary>
    Failed,

    /// <summary>The measurement says nothing about the system; it never becomes a baseline.</summary>
    Inconclusive,
}
