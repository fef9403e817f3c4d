namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What a gate found out about one scenario.</summary>
public sealed record GateRow
{
    /// <summary>The scenario's full name, with its profile.</summary>
    public required string Scenario { get; init; }

    /// <summary>Regressed if any metric is; else inconclusive if any is, or is suspect; not gated if no cost could be judged, only correctness; else not regressed.</summary>
    public required GateVerdict Verdict { get; init; }

    /// <summary>Why the verdict is not that of a metric, and what was left out.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];

    /// <summary>One for each metric.</summary>
    public IReadOnlyList<GateFinding> Findings { get; init; } = [];

    /// <summary>The pairs, with the figures of their legs; empty beside a stored baseline.</summary>
    public IReadOnlyList<GatePair> Pairs { get; init; } = [];

    /// <summary>The candidate's newest report; null when it wrote none.</summary>
    public string? Report { get; init; }

    /// <summary>A row with the verdict that follows from its findings.</summary>
    /// <param name="scenario">Name of the scenario.</param>
    /// <param name="findings">Its findings.</param>
    /// <param name="hindrance">Why the row cannot be better than inconclusive; null when nothing stands in the way.</param>
    internal static GateRow Of(string scenario, IReadOnlyList<GateFinding> findings, string? hindrance = null) => new()
    {
        Scenario = scenario,
        Findings = findings,
        Reasons = hindrance is null ? [] : [hindrance],
        Verdict = findings.Any(finding => finding.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
            : hindrance is not null || findings.Any(finding => finding.Verdict is GateVerdict.Inconclusive or GateVerdict.Suspect) ? GateVerdict.Inconclusive
            : findings.Any(finding => finding is { Verdict: GateVerdict.NotRegressed, Kind: not GateMetricKind.Correctness }) ? GateVerdict.NotRegressed
            : GateVerdict.NotGated,
    };
}
