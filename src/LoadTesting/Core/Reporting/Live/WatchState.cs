namespace LoadTesting.Core.Reporting.Live;

/// <summary>The state of a run as seen from another process.</summary>
public enum WatchState
{
    Running,

    Ended,

    /// <summary>The run was interrupted; its results are partial.</summary>
    Interrupted,

    /// <summary>The process is gone or the machine was restarted, and the run did not report its end.</summary>
    Killed,

    /// <summary>The run should be running, and has not updated its progress for a while.</summary>
    Silent,
}
