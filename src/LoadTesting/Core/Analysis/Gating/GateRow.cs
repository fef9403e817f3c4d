namespace LoadTesting.Core.Analysis.Gating;

/// <summary>What a gate found out about one scenario.</summary>
public sealed record GateRow
{
    public required string Scenario { get; init; }

    /// <summary>
    /// Regressed if any metric is; else inconclusive if any is, or is suspect; not gated if no cost could be judged,
    /// only correctness; else not regressed.
    /// </summary>
    public required GateVerdict Verdict { get; init; }

    /// <summary>Why the verdict is inconclusive; null when it is not.</summary>
    public GateCause? Cause { get; init; }

    /// <summary>Why the verdict is not that of a metric, and what was left out.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];

    public IReadOnlyList<GateFinding> Findings { get; init; } = [];

    /// <summary>The pairs, with the figures of their sides; empty beside a stored baseline.</summary>
    public IReadOnlyList<GatePair> Pairs { get; init; } = [];

    /// <summary>The candidate's newest report; null when it wrote none.</summary>
    public string? Report { get; init; }


    /// <summary>Whether a cost or a time was judged, or something has regressed.</summary>
    public bool IsGated() => Verdict == GateVerdict.Regressed || Findings.Any(finding =>
        finding.Kind != GateMetricKind.Correctness && finding.Verdict != GateVerdict.NotGated);

    /// <summary>A row with the verdict that follows from its findings.</summary>
    /// <param name="scenario">Name of the scenario.</param>
    /// <param name="hindrance">Why the row is inconclusive at best; null if there is no such reason.</param>
    /// <param name="cause">The cause to report if the row is inconclusive.</param>
    internal static GateRow Of(
        string scenario, IReadOnlyList<GateFinding> findings, string? hindrance = null,
        GateCause cause = GateCause.Noise)
    {
        var verdict = findings.Any(finding => finding.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
            : hindrance is not null
                || findings.Any(finding => finding.Verdict is GateVerdict.Inconclusive or GateVerdict.Suspect)
                ? GateVerdict.Inconclusive
            : findings.Any(
                finding => finding is { Verdict: GateVerdict.NotRegressed, Kind: not GateMetricKind.Correctness })
                ? GateVerdict.NotRegressed
            : GateVerdict.NotGated;
        return new GateRow
        {
            Scenario = scenario,
            Findings = findings,
            Reasons = hindrance is null ? [] : [hindrance],
            Verdict = verdict,
            Cause = verdict == GateVerdict.Inconclusive ? cause : null,
        };
    }

    /// <summary>The report beside a run; null when there is none, or when the label is not a path.</summary>
    internal static string? ReportOf(ComparisonSource source)
    {
        if (!Path.Exists(source.Label))
        {
            return null;
        }

        var report = Path.Combine(Path.GetDirectoryName(ComparisonSource.FileOf(source.Label))!, "report.html");
        return File.Exists(report) ? report : null;
    }
}
