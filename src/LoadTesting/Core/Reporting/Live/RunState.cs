namespace LoadTesting.Core.Reporting.Live;

/// <summary>The state of a run.</summary>
public enum RunState
{
    Running,

    /// <summary>The run completed.</summary>
    Ended,

    /// <summary>The run was interrupted; its results up to then are kept.</summary>
    Interrupted,

    /// <summary>The process was killed, and another process kept its results.</summary>
    Killed,
}
