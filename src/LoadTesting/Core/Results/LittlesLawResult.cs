namespace LoadTesting.Core.Results;

/// <summary>Little's law, N = X R, between two observers: N is the service's integrated gauge on its own clock, X and R are the client's.</summary>
public sealed record LittlesLawResult
{
    /// <summary>Completions that the client saw.</summary>
    public required long N { get; init; }

    /// <summary>The client's window, from the first beginning to the last completion, milliseconds.</summary>
    public required double WindowMs { get; init; }

    /// <summary>Operations in flight on average over the window, by the service's gauge.</summary>
    public required double ServiceInFlight { get; init; }

    /// <summary>Completions per second of the window, by the client.</summary>
    public required double ThroughputPerSecond { get; init; }

    /// <summary>Mean time from beginning to completion, by the client, milliseconds.</summary>
    public required double ResidenceMs { get; init; }

    /// <summary>Throughput times residence: what the client takes to have been in flight.</summary>
    public required double ClientInFlight { get; init; }

    /// <summary>The difference of both as a share of the service's, 0 or more.</summary>
    public required double RelativeError { get; init; }
}
