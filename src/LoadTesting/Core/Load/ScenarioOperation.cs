namespace LoadTesting.Core.Load;

/// <summary>What the scenario is being run for.</summary>
public enum ScenarioOperation
{
    /// <summary>Preparation, not measured.</summary>
    Init,

    /// <summary>Tidying up, not measured.</summary>
    Clean,

    /// <summary>Load whose measurements are discarded.</summary>
    WarmUp,

    /// <summary>Load that is measured.</summary>
    Bombing,
}
