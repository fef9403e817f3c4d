namespace LoadTesting.Core.Analysis.Gating;

/// <summary>A decision on a candidate, and all that it rests on: the document in <c>gate.json</c>.</summary>
public sealed record GateResult
{
    /// <summary>The version this code writes.</summary>
    public const string CurrentSchemaVersion = "1.0";

    private const string NothingCommon = "Nothing was gated: the two have no scenario in common.";
    private const string NothingGated = "Nothing was gated but correctness: no counter and no time of any scenario could be judged.";

    /// <summary>Version of the format, <c>major.minor</c>.</summary>
    public string SchemaVersion { get; init; } = CurrentSchemaVersion;

    /// <summary>Regressed if any scenario is; else inconclusive if any is, or if none is more than not gated; else not regressed.</summary>
    public required GateVerdict Verdict { get; init; }

    /// <summary>What the verdict rests on, a sentence each.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];

    /// <summary>What was held against: a path, or the command of the base legs.</summary>
    public required string Baseline { get; init; }

    /// <summary>What was judged: a path, or the command of the candidate legs.</summary>
    public required string Candidate { get; init; }

    /// <summary>Machine of the runs in a readable form; null when they do not tell.</summary>
    public string? Machine { get; init; }

    /// <summary>The scenarios.</summary>
    public IReadOnlyList<GateRow> Scenarios { get; init; } = [];

    /// <summary>The decision over some scenarios.</summary>
    internal static GateResult Of(string baseline, string candidate, string? machine, IReadOnlyList<GateRow> rows, IReadOnlyList<string> reasons)
    {
        var isGated = rows.Any(row => row.Verdict != GateVerdict.NotGated);
        return new GateResult
        {
            Baseline = baseline,
            Candidate = candidate,
            Machine = machine,
            Scenarios = rows,
            Reasons = isGated ? reasons : [.. reasons, rows.Count == 0 ? NothingCommon : NothingGated],
            Verdict = rows.Any(row => row.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
                : !isGated || rows.Any(row => row.Verdict == GateVerdict.Inconclusive) ? GateVerdict.Inconclusive
                : GateVerdict.NotRegressed,
        };
    }
}
