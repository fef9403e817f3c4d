namespace LoadTesting.Core.Results;

public enum VerdictOutcome
{
    /// <summary>Correct, and within every threshold.</summary>
    Passed,

    /// <summary>Incorrect, or a threshold missed.</summary>
    Failed,

    /// <summary>The measurement says nothing about the system; it never becomes a baseline.</summary>
    Inconclusive,
}
