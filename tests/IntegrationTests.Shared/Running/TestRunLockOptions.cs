namespace IntegrationTests.Shared.Running;

/// <summary>Where the lock is and how long to wait for it.</summary>
public sealed record TestRunLockOptions
{
    /// <summary>
    /// The lock file; by default one in the temporary directory, the same for every checkout on the machine. Never deleted.
    /// </summary>
    public string Path { get; init; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "workflow-test-run.lock");

    /// <summary>Longest wait; 20 minutes by default. A soak run holds the lock longer: it is not a time to run other tests.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromMinutes(20);

    /// <summary>
    /// First pause between two attempts, 20 ms by default. Each pause is half as long again, up to <see cref="LongestPause"/>.
    /// </summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Longest pause between two attempts; half a second by default.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Clock of pauses and time-out; the system's by default.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
