namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a counter of one run by stored ones.</summary>
internal static class CounterJudge
{
    public const string NoRule = "It depends on timing alone, or has no class in this version: reported, not gated.";

    private const string SharedByFew =
        "Operations share commits, and so few of them differ by more than a regression does from run to run: "
            + "full size gates it, or pairs.";

    private const string SharedElsewhere =
        "Operations share commits, and how many share one depends on the machine: "
            + "rows that run one at a time gate it, or pairs.";

    public static bool Counts(GateSide side, string counter) => side.Counters.GetValueOrDefault(counter) is not null;

    /// <summary>Whether both sides counted it, by the same source.</summary>
    public static bool CountAlike(GateSide one, GateSide other, string counter) =>
        Counts(one, counter) && Counts(other, counter) && SourceOf(one, counter) == SourceOf(other, counter);

    private static string SourceOf(GateSide side, string counter) => side.CounterSources.GetValueOrDefault(counter, "");

    /// <param name="baselines">The stored runs, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    /// <param name="concurrency">Operations at a time; null for an open load.</param>
    /// <param name="isSameMachine">Whether both are known to be of one machine class.</param>
    public static GateFinding Judge(
        string name, IReadOnlyList<GateSide> baselines, GateSide candidate, int? concurrency, bool isSameMachine)
    {
        var counted = baselines.Where(side => SourceOf(side, name) == SourceOf(candidate, name))
            .Select(side => side.Counters.GetValueOrDefault(name)).OfType<double>().ToList();
        var finding = new GateFinding
        {
            Metric = name, Kind = GateMetricKind.Counter, Unit = "per operation", Verdict = GateVerdict.NotGated,
            N = candidate.Operations,
            Baseline = counted.Count > 0 ? counted.Median() : null,
            Measured = candidate.Counters.GetValueOrDefault(name), Reason = "",
        };
        if (CounterRule.For(name) is null)
        {
            return finding with { Reason = NoRule };
        }

        if (finding.Measured is not { } measured || finding.Baseline is not { } baseline)
        {
            var side = finding.Measured is null ? "candidate" : "baseline";
            return finding
                with { Reason = $"Not counted in the {side}, or by another source; the result's notes say why." };
        }

        var sharesCommits = concurrency != 1 || !IsWhole(baselines, "commits");
        if (sharesCommits && CounterRule.IsOncePerCommit(name)
            && (!isSameMachine || candidate.Operations < CounterRule.OperationsForShared))
        {
            return finding with { Reason = isSameMachine ? SharedByFew : SharedElsewhere };
        }

        var rule = CounterRule.For(name)!;
        var byTiming = sharesCommits && (!isSameMachine || CounterRule.IsOncePerCommit(name));
        var noise = StoredNoise.Of(counted, byTiming ? CounterRule.SharedSpread : 0)
            .AtLeast(rule.HousekeepingInAll / Math.Max(1, candidate.Operations));
        var limit =
            StoredLimit.Of(baseline, rule.LimitOver(baseline, candidate.Operations) - baseline, noise.PerOperation);
        return finding with
        {
            Limit = limit.Pass,
            Change = baseline > 0 ? (measured / baseline) - 1 : null,
            Verdict = limit.Judge(measured),
            Reason = string.Create(
                CultureInfo.InvariantCulture, $"Class {rule.Class} may grow by {rule.Share:0 %} and {rule.PerOperation}")
                + (byTiming ? ", and operations share commits, so that timing decides how many share one; " : "; ")
                + limit.Describe(noise, measured),
        };
    }

    private static bool IsWhole(IReadOnlyList<GateSide> baselines, string counter) =>
        baselines.All(
            side => side.Counters.GetValueOrDefault(counter) is { } value
                && Math.Abs(value - Math.Round(value)) < 1e-9);
}
