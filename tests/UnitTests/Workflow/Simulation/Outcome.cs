namespace UnitTests.Workflow.Simulation;

internal enum Outcome
{
    /// <summary>It has its effect.</summary>
    Acknowledged,

    /// <summary>It has none.</summary>
    Refused,

    /// <summary>It may have its effect, or have it later.</summary>
    Unknown,
}
