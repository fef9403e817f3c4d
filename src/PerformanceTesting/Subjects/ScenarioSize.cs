namespace PerformanceTesting.Subjects;

/// <summary>How many operations a scenario has.</summary>
public enum ScenarioSize
{
    /// <summary>As many as in the published baseline.</summary>
    Seed,

    /// <summary>Thousands, so that a p99 is a percentile.</summary>
    Xl,
}
