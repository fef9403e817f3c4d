namespace LoadTesting.Core.Analysis.Findings;

/// <summary>From where on a resource is guilty, and what is too little to say.</summary>
public sealed record FindingLimits
{
    /// <summary>Share of the response time, 0 to 1, from which a resource is guilty. Default 0.2.</summary>
    public double GuiltyShare { get; init; } = 0.2;

    /// <summary>Busy share, 0 to 1, from which a resource counts as full, so that queueing may be charged to it. Default 0.8.</summary>
    public double FullUtilisation { get; init; } = 0.8;

    /// <summary>Schedule lag below this is never held against the generator, seconds. Default 0.001: a thread pool cannot do better.</summary>
    public double LagFloorSeconds { get; init; } = 0.001;

    /// <summary>Samples of sessions, of which fewer say nothing. Default 30.</summary>
    public int MinimumWaitSamples { get; init; } = 30;

    /// <summary>Processor time is counted in hundredths of a second: a shorter run says nothing of it, seconds. Default 0.5.</summary>
    public double MinimumProcessorSeconds { get; init; } = 0.5;

    /// <summary>Completed operations below which every finding has low confidence. Default 30.</summary>
    public int MinimumCompleted { get; init; } = 30;
}
