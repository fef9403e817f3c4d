namespace LoadTesting.Core.Analysis.Gating;

/// <summary>A decision on a candidate, and all that it rests on: the document in <c>gate.json</c>.</summary>
public sealed record GateResult
{
    /// <summary>The version this code writes.</summary>
    public const string CurrentSchemaVersion = "1.0";


    /// <summary>Version of the format, <c>major.minor</c>.</summary>
    public string SchemaVersion { get; init; } = CurrentSchemaVersion;

    /// <summary>
    /// Regressed if any scenario is; else inconclusive if any is, or if fewer than half of them can be gated; else not
    /// regressed.
    /// </summary>
    public required GateVerdict Verdict { get; init; }

    /// <summary>Why the verdict is inconclusive; null when it is not.</summary>
    public GateCause? Cause { get; init; }

    /// <summary>
    /// Scenarios of which a cost or a time was judged, or that have regressed; of <see cref="ScenarioCount"/>.
    /// </summary>
    public int Gated => Scenarios.Count(row => row.IsGated());

    /// <summary>Scenarios that there were to gate: the entries of <see cref="Scenarios"/>.</summary>
    public int ScenarioCount => Scenarios.Count;

    /// <summary>What the verdict rests on, a sentence each.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];

    /// <summary>The base: a path, or the command that ran it.</summary>
    public required string Baseline { get; init; }

    /// <summary>The candidate: a path, or the command that ran it.</summary>
    public required string Candidate { get; init; }

    /// <summary>Machine of the runs in a readable form; null when they do not record it.</summary>
    public string? Machine { get; init; }

    /// <summary>
    /// Pairs at which a sequential recording was, or would have been, looked at; empty where their number was fixed.
    /// </summary>
    public IReadOnlyList<int> Looks { get; init; } = [];

    public IReadOnlyList<GateRow> Scenarios { get; init; } = [];

    /// <summary>The decision over some scenarios.</summary>
    /// <param name="apart">Why the two have no scenario in common; null where they have one.</param>
    internal static GateResult Of(
        string baseline, string candidate, string? machine, IReadOnlyList<GateRow> rows, IReadOnlyList<string> reasons,
        GateCause? apart)
    {
        var ungated = rows.Count(row => row.Verdict == GateVerdict.NotGated);
        var isUnjudged = 2 * ungated > rows.Count;
        var verdict = rows.Any(row => row.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
            : rows.Count == 0 || isUnjudged || rows.Any(row => row.Verdict == GateVerdict.Inconclusive)
                ? GateVerdict.Inconclusive
            : GateVerdict.NotRegressed;
        var cause = rows.Select(row => row.Cause).Append(apart).Append(isUnjudged ? GateCause.Unjudged : null).Max();
        return new GateResult
        {
            Cause = verdict == GateVerdict.Inconclusive ? cause : null,
            Baseline = baseline,
            Candidate = candidate,
            Machine = machine,
            Scenarios = rows,
            Reasons = [.. reasons, .. Shortfall(rows.Count, ungated, apart)],
            Verdict = verdict,
        };
    }

    private static IEnumerable<string> Shortfall(int rows, int ungated, GateCause? apart)
    {
        if (ungated == rows)
        {
            yield return apart is null ? GateText.NothingGated : GateText.NothingCommon;
        }
        else if (2 * ungated > rows)
        {
            yield return GateText.TooFewGated(ungated, rows);
        }
    }
}
