namespace LoadTesting.Core.Results;

/// <summary>Rungs of one kind of load, with what decides between comfort and pressure.</summary>
public sealed record LadderResult
{
    /// <summary>The criteria in words, with their limits.</summary>
    public required IReadOnlyList<string> Criteria { get; init; }

    /// <summary>In ascending order of load; a rung that was measured again stands more than once.</summary>
    public required IReadOnlyList<RungResult> Rungs { get; init; }

    /// <summary>Highest comfortable load whose predecessors are comfortable: requests at a time (closed) or operations per second (open); null when the lowest is not.</summary>
    public double? LastComfortable { get; init; }

    /// <summary>Lowest load that is not comfortable; null when all are.</summary>
    public double? FirstPressure { get; init; }

    /// <summary>Kneedle's knee of p95 over load; null without one.</summary>
    public double? Knee { get; init; }
}
