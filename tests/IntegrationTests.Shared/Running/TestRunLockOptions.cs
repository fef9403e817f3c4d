namespace IntegrationTests.Shared.Running;

/// <summary>Where the lock is and how long to wait for it.</summary>
public sealed record TestRunLockOptions
{
    /// <summary>The lock file; by default one in the temporary directory for all checkouts. Never deleted.</summary>
    public string Path { get; init; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "workflow-test-run.lock");

    /// <summary>Longest wait; 20 minutes by default. A soak run holds the lock longer than that.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromMinutes(20);

    /// <summary>Called with the holders of the lock when a wait begins and while it lasts.</summary>
    public Action<string>? Waiting { get; init; }

    /// <summary>How long from one call of <see cref="Waiting"/> to the next; half a minute by default.</summary>
    public TimeSpan ReportEvery { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>First pause; 20 ms by default. Each is half as long again, up to <see cref="LongestPause"/>.</summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Longest pause between two attempts; half a second by default.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Clock of pauses and time-out; the system's by default.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
