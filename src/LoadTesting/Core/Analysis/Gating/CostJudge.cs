namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a measured cost of one run by stored ones.</summary>
internal static class CostJudge
{
    /// <param name="rule">One of <see cref="TimeRule.Costs"/>.</param>
    /// <param name="baselines">The stored runs, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    /// <param name="isSameMachine">Whether both are known to be of one machine class.</param>
    public static GateFinding Judge(
        TimeRule rule, IReadOnlyList<GateSide> baselines, GateSide candidate, bool isSameMachine)
    {
        var known = baselines.Select(rule.Value).OfType<double>().Where(value => value > 0).ToList();
        var finding = new GateFinding
        {
            Metric = rule.Name, Kind = rule.Kind, Unit = rule.Unit, Verdict = GateVerdict.NotGated,
            N = candidate.Operations, Reason = "",
            Baseline = known.Count > 0 ? known.Median() : null, Measured = rule.Value(candidate),
        };
        if (finding.Measured is not > 0 || finding.Baseline is not { } baseline)
        {
            return finding with { Reason = GateText.NotMeasured };
        }

        if (rule.IsOfMachine && !isSameMachine)
        {
            return finding with { Reason = GateText.CostOfAnotherMachine };
        }

        if (candidate.Operations < rule.StoredOperations)
        {
            return finding with
            {
                Reason = GateText.TooFew(rule.StoredOperations, "operations, so compilation outweighs them"),
            };
        }

        var noise = StoredNoise.Of(known, rule.StoredSpread);
        var limit = StoredLimit.Of(baseline, TimeRule.MaxMargin * baseline, noise.PerOperation);
        return finding with
        {
            Limit = limit.Pass,
            Change = (finding.Measured / baseline) - 1,
            Verdict = limit.Judge(finding.Measured.Value),
            Reason = GateText.MayGrow("It", TimeRule.MaxMargin)
                + limit.Describe(noise, finding.Measured.Value),
        };
    }
}
