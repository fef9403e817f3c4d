namespace LoadTesting.Core.Reporting.Live;

/// <summary>The current stage of a run.</summary>
public enum RunStage
{
    /// <summary>Servers, database and system are set up.</summary>
    Preparing,

    /// <summary>Load that does not count.</summary>
    WarmingUp,

    Measuring,

    /// <summary>The load is over; the run waits for outstanding completions.</summary>
    Settling,

    /// <summary>The account is closed, the verdict found, the report written.</summary>
    Concluding,

    /// <summary>The run waits for other runs on this machine, because they would disturb each other.</summary>
    Waiting,
}
