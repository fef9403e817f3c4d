namespace LoadTesting.Core.Results;

/// <summary>What is wrong when a check fails.</summary>
public enum CheckSubject
{
    /// <summary>The system under test: it lost, doubled or leaked something.</summary>
    System,

    /// <summary>The measurement: its figures say nothing about the system.</summary>
    Measurement,
}
