namespace LoadTesting.Core.Load.Stalls;

/// <summary>The cause of a stall.</summary>
public enum StallCause
{
    /// <summary>The system under test: nothing observed of generator and machine explains the stall.</summary>
    System,

    /// <summary>
    /// The generator's process: a collector pause, or over HTTP a thread pool without a free thread or a consumer of
    /// events that worked without a break.
    /// </summary>
    Generator,

    /// <summary>The machine stood still or gave its processors to others.</summary>
    Machine,

    /// <summary>Generator and machine explain a part of the stall, or were not observed.</summary>
    Unknown,
}
