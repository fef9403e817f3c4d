using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>What a wave is made of.</summary>
public sealed record WaveOptions
{
    /// <summary>Type of the event that ends an operation.</summary>
    public required string CompletionEvent { get; init; }

    /// <summary>Operations that are asked for; 0 where a time ends the wave and not a number.</summary>
    public required int Size { get; init; }

    /// <summary>How far ahead signals are due. Default: at once.</summary>
    public TimeSpan DueAfter { get; init; }

    /// <summary>How long a completion is waited for from the operation's beginning, or from the moment it is due. Default 30 s.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>When the service is idle. Default: once, at the end.</summary>
    public WaveShape Shape { get; init; } = WaveShape.Together;
}
