namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// How often pairs are looked at, and how sure each look has to be. Of the sequential design the levels hold for one look; that the error
/// over all looks stays below 1 % at the margin, and below 0.5 % without a change, is simulated by a unit test.
/// </summary>
public sealed record GateDesign
{
    /// <summary>Most pairs that a sequential recording may take.</summary>
    public const int MostPairs = 200;

    private static readonly int[] EarlyLooks = [10, 15, 20, 30, 40];
    private const int LateLookEvery = 20;

    private GateDesign()
    {
    }

    /// <summary>One look, after as many pairs as were asked for.</summary>
    public static GateDesign Fixed { get; } = new();

    /// <summary>
    /// Pairs at which a sequential recording is looked at and may end; empty for the fixed design. From 40 on every 20.
    /// </summary>
    public IReadOnlyList<int> Looks { get; private init; } = [];

    public bool IsSequential => Looks.Count > 0;

    /// <summary>One-sided error at which something has regressed.</summary>
    internal double RegressionLevel { get; private init; } = 0.01;

    /// <summary>One-sided error at which something has not.</summary>
    internal double ClearanceLevel { get; private init; } = 0.05;

    /// <summary>
    /// Where noise is many times the margin, the margin no longer keeps false alarms far below the level, so the level has to: then all of
    /// ten pairs must be worse by more than the margin.
    /// </summary>
    internal double NoisyLevel { get; } = 0.001;

    /// <summary>Pairs until it is clear, or until there are so many.</summary>
    /// <param name="mostPairs">10 to <see cref="MostPairs"/>: each look beyond 80 adds to the error, and 200 pairs are an hour.</param>
    public static GateDesign Sequential(int mostPairs)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(mostPairs, EarlyLooks[0]);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(mostPairs, MostPairs);
        var late = Enumerable.Range(1, MostPairs / LateLookEvery).Select(index => EarlyLooks[^1] + (LateLookEvery * index));
        return new GateDesign
        {
            Looks = [.. EarlyLooks.Concat(late).Where(look => look < mostPairs), mostPairs],
            RegressionLevel = 0.002,
            ClearanceLevel = 0.01,
        };
    }

    /// <summary>Worse by this share for sure is a regression.</summary>
    internal double MarginOf(TimeRule rule) => IsSequential ? rule.SequentialMargin : rule.Margin;

    /// <summary>Worse by less than this share for sure is none.</summary>
    internal double ToleranceOf(TimeRule rule) => IsSequential ? rule.SequentialTolerance : TimeRule.GreatestMargin;
}
