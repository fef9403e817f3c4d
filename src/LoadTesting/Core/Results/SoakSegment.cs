namespace LoadTesting.Core.Results;

/// <summary>A part of a soak: what one process measured.</summary>
public sealed record SoakSegment
{
    /// <summary>When it was prepared, UTC.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>How long its load is known to have lasted, milliseconds.</summary>
    public required double DurationMs { get; init; }

    public required long Completed { get; init; }
    public required long Failed { get; init; }

    /// <summary>Latency of what completed.</summary>
    public required LatencyResult Latency { get; init; }

    /// <summary>Whether its process died: what was in flight then has no account.</summary>
    public required bool Died { get; init; }
}
