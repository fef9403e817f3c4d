namespace LoadTesting.Core.Analysis.Findings;

/// <summary>What is known of one resource before queueing is charged to any.</summary>
/// <param name="Resource">Its name.</param>
/// <param name="Reason">Why it was not examined; null when it was.</param>
internal sealed record Examination(string Resource, string? Reason = null)
{
    /// <summary>What an operation spends in it, seconds; measured at the resource.</summary>
    public double Seconds { get; init; }

    /// <summary>Queueing charged to it, seconds per operation.</summary>
    public double QueueingSeconds { get; init; }

    /// <summary>Busy share, 0 to 1.</summary>
    public double? Utilisation { get; init; }

    /// <summary>Operations per second that it would allow by itself.</summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>
    /// Whether operations may queue for it unseen. Not so where waiting is measured to the last: a pool that is full and for which nobody waits is the
    /// right size.
    /// </summary>
    public bool HasUnseenQueue { get; init; }

    /// <summary>Guilty whatever its share, such as a generator that failed its health check.</summary>
    public bool IsGuiltyAnyway { get; init; }

    /// <summary>Whether others used most of what it was measured on.</summary>
    public bool IsDisturbed { get; init; }

    /// <summary>A sentence each.</summary>
    public IReadOnlyList<string> Evidence { get; init; } = [];

    /// <summary>What an operation loses to it, seconds.</summary>
    public double Impact => Seconds + QueueingSeconds;
}
