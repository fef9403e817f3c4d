namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Two runs of one scenario, one right after the other.</summary>
public sealed record GatePair
{
    /// <summary>From 1, in the order in which they were run.</summary>
    public required int Number { get; init; }

    /// <summary>The run of the base; null if it left no result.</summary>
    public GateSide? Base { get; init; }

    /// <summary>The run of the candidate; null if it left no result.</summary>
    public GateSide? Candidate { get; init; }

    /// <summary>
    /// Why the pair does not count for times, a sentence each; empty when it does. Faults and counted costs count all
    /// the same.
    /// </summary>
    public IReadOnlyList<string> Vetoes { get; init; } = [];

    /// <summary>Whether both sides are present and neither is vetoed: the pair counts for times.</summary>
    public bool IsValid() => Base is not null && Candidate is not null && Vetoes.Count == 0;

    /// <summary>Whether that side is why the pair does not count for times.</summary>
    internal bool IsVetoed(string side) => Vetoes.Any(veto => veto.StartsWith(side + ": ", StringComparison.Ordinal));

    /// <summary>
    /// Whether both sides are present and neither failed: the pair counts for counted costs, which a busy machine
    /// hardly moves.
    /// </summary>
    public bool IsCounted() =>
        Base is { } reference && Candidate is { } candidate && !reference.HasFailed() && !candidate.HasFailed();
}
