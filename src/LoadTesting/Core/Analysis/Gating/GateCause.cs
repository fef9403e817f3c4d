namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Why a verdict is inconclusive, the most important last: of several scenarios the most important cause is reported.
/// </summary>
public enum GateCause
{
    /// <summary>The machine scatters or was disturbed: more pairs, or a quieter machine, would decide it.</summary>
    Noise,

    /// <summary>Fewer than half of the scenarios can be gated: a pass would cover only a minority.</summary>
    Unjudged,

    /// <summary>The two are not comparable, or have no scenario in common.</summary>
    Unlike,

    /// <summary>The base left no result, or failed itself: there is nothing to hold the candidate against.</summary>
    MissingBase,
}
