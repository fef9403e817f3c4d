namespace LoadTesting.Core.Results;

/// <summary>One resource of the sweep: guilty, exonerated, or not examined and why.</summary>
public sealed record ResourceResult
{
    /// <summary>The resource in words: service CPU, database CPU, WAL flush, locks, disk, other waits, connection pool, service queue, garbage collection, generator.</summary>
    public required string Resource { get; init; }

    /// <summary>What the examination came to.</summary>
    public required ResourceState State { get; init; }

    /// <summary>What an operation spends in it on average, seconds, at most the response time; null when it was not examined.</summary>
    public double? ImpactSecondsPerOperation { get; init; }

    /// <summary>Its busy share, 0 to 1; null when it has none or that is not known.</summary>
    public double? Utilisation { get; init; }

    /// <summary>
    /// What it would allow by itself, operations per second, by the utilisation law: servers / demand. Null when its demand is not known or it has
    /// no fixed number of servers.
    /// </summary>
    public double? LimitPerSecond { get; init; }

    /// <summary>What was measured, a sentence each; why nothing was, when it was not examined.</summary>
    public required IReadOnlyList<string> Evidence { get; init; }
}
