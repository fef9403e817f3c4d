namespace LoadTesting.Core.Load;

/// <summary>The operation of a scenario.</summary>
public enum ScenarioOperation
{
    /// <summary>Init, not measured.</summary>
    Init,

    /// <summary>Clean, not measured.</summary>
    Clean,

    /// <summary>Load whose measurements are discarded.</summary>
    WarmUp,

    /// <summary>Load that is measured.</summary>
    Bombing,
}
