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

    /// <summary>Why the verdict is inconclusive; null when it is not.</summary>
    public GateCause? Cause { get; init; }

    /// <summary>What the verdict rests on, a sentence each.</summary>
    public IReadOnlyList<string> Reasons { get; init; } = [];

    /// <summary>The base: a path, or the command that ran it.</summary>
    public required string Baseline { get; init; }

    /// <summary>The candidate: a path, or the command that ran it.</summary>
    public required string Candidate { get; init; }

    /// <summary>Machine of the runs in a readable form; null when they do not record it.</summary>
    public string? Machine { get; init; }

    /// <summary>Pairs at which a sequential recording was, or would have been, looked at; empty where their number was fixed.</summary>
    public IReadOnlyList<int> Looks { get; init; } = [];

    public IReadOnlyList<GateRow> Scenarios { get; init; } = [];

    /// <summary>The decision over some scenarios.</summary>
    /// <param name="ungated">Why nothing was gated, where that is so.</param>
    internal static GateResult Of(
        string baseline, string candidate, string? machine, IReadOnlyList<GateRow> rows, IReadOnlyList<string> reasons,
        GateCause ungated = GateCause.Unlike)
    {
        var isGated = rows.Any(row => row.Verdict != GateVerdict.NotGated);
        var verdict = rows.Any(row => row.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
            : !isGated || rows.Any(row => row.Verdict == GateVerdict.Inconclusive) ? GateVerdict.Inconclusive
            : GateVerdict.NotRegressed;
        return new GateResult
        {
            Cause = verdict != GateVerdict.Inconclusive ? null : isGated ? rows.Max(row => row.Cause) : ungated,
            Baseline = baseline,
            Candidate = candidate,
            Machine = machine,
            Scenarios = rows,
            Reasons = isGated ? reasons : [.. reasons, rows.Count == 0 ? NothingCommon : NothingGated],
            Verdict = verdict,
        };
    }
}

/// <summary>What a gate found out about one scenario.</summary>
public sealed record GateRow
{
    public required string Scenario { get; init; }

    /// <summary>
    /// Regressed if any metric is; else inconclusive if any is, or is suspect; not gated if no cost could be judged, only correctness; else
    /// not regressed.
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

    /// <summary>A row with the verdict that follows from its findings.</summary>
    /// <param name="scenario">Name of the scenario.</param>
    /// <param name="hindrance">Why the row cannot be better than inconclusive; null when nothing stands in the way.</param>
    /// <param name="cause">Why the row is inconclusive, if it comes to that.</param>
    internal static GateRow Of(
        string scenario, IReadOnlyList<GateFinding> findings, string? hindrance = null, GateCause cause = GateCause.Noise)
    {
        var verdict = findings.Any(finding => finding.Verdict == GateVerdict.Regressed) ? GateVerdict.Regressed
            : hindrance is not null || findings.Any(finding => finding.Verdict is GateVerdict.Inconclusive or GateVerdict.Suspect)
                ? GateVerdict.Inconclusive
            : findings.Any(finding => finding is { Verdict: GateVerdict.NotRegressed, Kind: not GateMetricKind.Correctness })
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
}

/// <summary>What a gate found out about one metric of one scenario.</summary>
public sealed record GateFinding
{
    /// <summary><c>throughput</c>, <c>p50</c>, <c>capacity</c>, the name of a counter, or the ledger's name of a fault.</summary>
    public required string Metric { get; init; }

    public required GateMetricKind Kind { get; init; }
    public required GateVerdict Verdict { get; init; }

    /// <summary>Per second, milliseconds, or per operation.</summary>
    public required string Unit { get; init; }

    /// <summary>The baseline's value, of several the median; null when there is none.</summary>
    public double? Baseline { get; init; }

    /// <summary>The candidate's value, of several the median; null when there is none.</summary>
    public double? Measured { get; init; }

    /// <summary>Of a capacity the widest bracket of the baseline's searches; else null.</summary>
    public IntervalResult? BaselineBracket { get; init; }

    /// <summary>Of a capacity the widest bracket of the candidate's searches; else null.</summary>
    public IntervalResult? MeasuredBracket { get; init; }

    /// <summary>What the candidate may come to at most (throughput: at least); null where nothing limits it.</summary>
    public double? Limit { get; init; }

    /// <summary>
    /// How much worse the candidate is, as a share: 0.1 is 10 % slower or costlier, below 0 is better. By pairs the Hodges–Lehmann
    /// estimate.
    /// </summary>
    public double? Change { get; init; }

    /// <summary>
    /// Lower bound of <see cref="Change"/>, one-sided, as sure as a regression has to be: 99 %, and in much noise or before the last look
    /// of a sequential design more. Null without pairs or with too few.
    /// </summary>
    public double? Lower99 { get; init; }

    /// <summary>Upper bound of <see cref="Change"/> at 95 %, one-sided (sequential: 99 %); null without pairs or with too few.</summary>
    public double? Upper95 { get; init; }

    /// <summary>The smallest change that these pairs would have shown in four of five decisions, as a share; null without pairs.</summary>
    public double? DetectableChange { get; init; }

    /// <summary>Samples on the smaller side: operations of a run; in pairs, of the smallest run.</summary>
    public long N { get; init; }

    /// <summary>Pairs that counted; 0 beside a stored baseline.</summary>
    public int Pairs { get; init; }

    public required string Reason { get; init; }
}

/// <summary>What a gate says of a metric, a scenario or a run. A run gets one of the first three, a scenario also the last.</summary>
public enum GateVerdict
{
    /// <summary>No worse by more than the margin that the finding names.</summary>
    NotRegressed,

    /// <summary>The evidence does not suffice either way; the reason names what is missing.</summary>
    Inconclusive,

    /// <summary>Worse than the limit allows.</summary>
    Regressed,

    /// <summary>A time beside a stored baseline looks worse. It proves nothing: interleaved pairs settle it.</summary>
    Suspect,

    /// <summary>Not judged; the reason says why.</summary>
    NotGated,
}

/// <summary>Why a verdict is inconclusive, the weightiest last: of several scenarios the weightiest stands for all.</summary>
public enum GateCause
{
    /// <summary>The machine scatters or was disturbed: more pairs, or a quieter machine, would decide it.</summary>
    Noise,

    /// <summary>The two are not comparable, or have nothing that could be gated.</summary>
    Unlike,

    /// <summary>The base left no result, or failed itself: there is nothing to hold the candidate against.</summary>
    MissingBase,
}

/// <summary>What kind of figure a gate judges.</summary>
public enum GateMetricKind
{
    /// <summary>
    /// Whether operations ended well: failures, dead letters, losses and the like. Any more than in the baseline is a regression.
    /// </summary>
    Correctness,

    /// <summary>Counted cost per operation.</summary>
    Counter,

    /// <summary>Throughput, a percentile of latency, or a capacity.</summary>
    Time,

    /// <summary>Measured cost per operation: processor time, allocations.</summary>
    Cost,
}

/// <summary>The JSON form of a <see cref="GateResult"/>: as results are written.</summary>
public static class GateJson
{
    private static readonly JsonSerializerOptions Options = ResultJson.CreateOptions(JsonUnmappedMemberHandling.Skip);

    public static string Write(GateResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return JsonSerializer.Serialize(result, Options) + "\n";
    }

    /// <exception cref="FormatException">It is no decision of a gate, or of another major version; the message begins with the
    /// path.</exception>
    public static async Task<GateResult> ReadFileAsync(string path, CancellationToken cancellationToken = default)
    {
        var json = await File.ReadAllTextAsync(path, cancellationToken).ConfigureAwait(false);
        try
        {
            var result = JsonSerializer.Deserialize<GateResult>(json, Options);
            return result?.SchemaVersion.Split('.')[0] == GateResult.CurrentSchemaVersion.Split('.')[0]
                ? result
                : throw new FormatException(
                    $"{path}: schemaVersion is {result?.SchemaVersion ?? "missing"}; this code reads {GateResult.CurrentSchemaVersion}.");
        }
        catch (JsonException exception)
        {
            throw new FormatException($"{path}: is no gate.json: {exception.Message} Gate the recorded pairs again to get one.", exception);
        }
    }
}
