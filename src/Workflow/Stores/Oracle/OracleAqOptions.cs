namespace Workflow.Stores.Oracle;

/// <summary>Settings of notifications over Oracle Advanced Queueing.</summary>
public sealed record OracleAqOptions
{
    /// <summary>
    /// Connection string of Oracle's driver, as the store's; the queue lies in the schema of the user who connects.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>
    /// How long one dequeue waits at the server for a notification; whole seconds, 1 to 10. Default 5 s. A listener
    /// says with each dequeue that it is there, and is forgotten after 15 s.
    /// </summary>
    public TimeSpan DequeueWait { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long the notifications wait before they connect again. Default 1 s.</summary>
    public TimeSpan ReconnectPause { get; init; } = TimeSpan.FromSeconds(1);

    internal int CheckedWaitSeconds() =>
        DequeueWait.TotalSeconds is >= 1 and <= 10 and var seconds && seconds == Math.Floor(seconds)
        ? (int)seconds
        : throw new ArgumentException(
            $"{nameof(DequeueWait)} is {DequeueWait}; it must be 1 to 10 whole seconds.", nameof(DequeueWait));
}
