using System.Globalization;
using MathNet.Numerics.Statistics;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a counter of one run by stored ones.</summary>
internal static class CounterJudge
{
    public const string NoRule = "It depends on timing alone, or has no class in this version: told, not gated.";

    private const string SharedByFew =
        "Operations share commits, and so few of them differ by more than a regression does from run to run: full size gates it, or pairs.";

    private const string SharedElsewhere =
        "Operations share commits, and how many share one depends on the machine: rows that run one at a time gate it, or pairs.";

    /// <summary>What counted it.</summary>
    public static string SourceOf(GateLeg leg, string counter) => leg.CounterSources.GetValueOrDefault(counter, "");

    /// <summary>Judges a counter.</summary>
    /// <param name="name">The counter.</param>
    /// <param name="baselines">Runs that are held against, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    /// <param name="concurrency">Operations at a time; null for an open load.</param>
    /// <param name="isSameMachine">Whether both are known to be of one machine class.</param>
    public static GateFinding Judge(string name, IReadOnlyList<GateLeg> baselines, GateLeg candidate, int? concurrency, bool isSameMachine)
    {
        var counted = baselines.Where(leg => SourceOf(leg, name) == SourceOf(candidate, name))
            .Select(leg => leg.Counters.GetValueOrDefault(name)).OfType<double>().ToList();
        var finding = new GateFinding
        {
            Metric = name, Kind = GateMetricKind.Counter, Unit = "per operation", Verdict = GateVerdict.NotGated, N = candidate.Operations,
            Baseline = counted.Count > 0 ? counted.Median() : null, Measured = candidate.Counters.GetValueOrDefault(name), Reason = "",
        };
        if (CounterRule.For(name) is null)
        {
            return finding with { Reason = NoRule };
        }

        if (finding.Measured is not { } measured || finding.Baseline is not { } baseline)
        {
            var side = finding.Measured is null ? "candidate" : "baseline";
            return finding with { Reason = $"Not counted in the {side}, or by another source; the result's notes say why." };
        }

        var sharesCommits = concurrency != 1 || !IsWhole(baselines, "commits");
        if (sharesCommits && CounterRule.IsOncePerCommit(name) && (!isSameMachine || candidate.Operations < CounterRule.OperationsForShared))
        {
            return finding with { Reason = isSameMachine ? SharedByFew : SharedElsewhere };
        }

        var rule = sharesCommits && (!isSameMachine || CounterRule.IsOncePerCommit(name)) ? CounterRule.Shared : CounterRule.For(name)!;
        var limit = Math.Max(rule.LimitOver(baseline, candidate.Operations), counted.Max());
        return finding with
        {
            Limit = limit,
            Change = baseline > 0 ? (measured / baseline) - 1 : null,
            Verdict = measured > limit ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(CultureInfo.InvariantCulture, $"Class {rule.Class} may grow by {rule.Share:0 %} and {rule.PerOperation}")
                + (rule == CounterRule.Shared ? ", since operations share commits and timing decides how many share one." : "."),
        };
    }

    private static bool IsWhole(IReadOnlyList<GateLeg> baselines, string counter) =>
        baselines.All(leg => leg.Counters.GetValueOrDefault(counter) is { } value && Math.Abs(value - Math.Round(value)) < 1e-9);
}
