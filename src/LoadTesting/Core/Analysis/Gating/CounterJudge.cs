namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a counter of one run by stored ones.</summary>
internal static class CounterJudge
{



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
            return finding with { Reason = GateText.NoRule };
        }

        if (finding.Measured is not { } measured || finding.Baseline is not { } baseline)
        {
            return finding with { Reason = GateText.Missing(finding.Measured is null ? "candidate" : "baseline") };
        }

        var sharesCommits = concurrency != 1 || !IsWhole(baselines, "commits");
        if (sharesCommits && CounterRule.IsOncePerCommit(name)
            && (!isSameMachine || candidate.Operations < CounterRule.OperationsForShared))
        {
            return finding with { Reason = isSameMachine ? GateText.SharedByFew : GateText.SharedElsewhere };
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
            Reason = GateText.Room(rule)
                + (byTiming ? ", and operations share commits, so timing decides how many share one; " : "; ")
                + limit.Describe(noise, measured),
        };
    }

    private static bool IsWhole(IReadOnlyList<GateSide> baselines, string counter) =>
        baselines.All(
            side => side.Counters.GetValueOrDefault(counter) is { } value
                && Math.Abs(value - Math.Round(value)) < 1e-9);
}
