namespace PerformanceTesting.Measurement;

/// <summary>What a rule does to the verdict of a run.</summary>
public enum VerdictEffect
{
    /// <summary>It is not looked at: the numbers do not carry it.</summary>
    None,

    /// <summary>It is said, and the run passes.</summary>
    Reported,

    /// <summary>The run says nothing about the system.</summary>
    Inconclusive,

    Failed,
}
