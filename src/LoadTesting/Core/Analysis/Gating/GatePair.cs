namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Two runs of one scenario, one right after the other.</summary>
public sealed record GatePair
{
    /// <summary>From 1, in the order in which they were run.</summary>
    public required int Number { get; init; }

    /// <summary>The build that is held against; null when it left no result.</summary>
    public GateLeg? Base { get; init; }

    /// <summary>The build that is judged; null when it left no result.</summary>
    public GateLeg? Candidate { get; init; }

    /// <summary>Why the pair does not count for times and counters, a sentence each; empty when it does. Faults count all the same.</summary>
    public IReadOnlyList<string> Vetoes { get; init; } = [];

    /// <summary>Whether both legs are there and neither is vetoed.</summary>
    public bool IsValid() => Base is not null && Candidate is not null && Vetoes.Count == 0;
}
