namespace Workflow.Client.Events;

/// <summary>The events to read, and how to keep the connection.</summary>
public sealed record EventStreamOptions
{
    /// <summary>Only events of instances of this definition; null for all, also those without an instance.</summary>
    public string? Definition { get; init; }

    /// <summary>Begin after this position (the id of an event); null begins with the next event.</summary>
    public string? After { get; init; }

    /// <summary>One of the service's keys (<c>Access:Keys</c>). Null (the default) if it requires none.</summary>
    public string? Key { get; init; }

    /// <summary>The deadline for connecting. Default 5 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The pause before the first reconnection; it doubles with each failure in a row. Default 50 ms.
    /// </summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest pause. Default 2 s.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Failures in a row after which the stream ends with the last of them. Default 20, about half a minute.
    /// </summary>
    public int MaxFailuresInARow { get; init; } = 20;

    /// <summary>
    /// The time after which a connection without incoming data is closed. Default 45 s: the service sends something at
    /// least every 30 s.
    /// </summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(45);
}
