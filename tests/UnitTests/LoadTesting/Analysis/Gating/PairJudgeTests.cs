using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

public sealed class PairJudgeTests
{
    [Fact]
    public void Ten_pairs_a_fifth_slower_regress_with_the_bound()
    {
        var row = PairJudge.Judge(Sides.FullSize, Sides.Of(10, number => Sides.Side(0.20 + (number * 0.001))));

        Assert.Equal(GateVerdict.Regressed, row.Verdict);
        var throughput = row.Finding("throughput");
        Assert.Equal((GateVerdict.Regressed, 10, 16_000), (throughput.Verdict, throughput.Pairs, throughput.N));
        Assert.Equal(4000 / 1.05, throughput.Limit!.Value, 6);
        Assert.InRange(throughput.Change!.Value, 0.205, 0.206);
        Assert.InRange(throughput.Lower99!.Value, 0.2, throughput.Change.Value);
        Assert.Contains("at 99 %; the margin is 5 %", throughput.Reason);
        Assert.All(
            new[] { "p50", "p95", "p99" }, metric => Assert.Equal(GateVerdict.Regressed, row.Finding(metric).Verdict));
    }

    [Fact]
    public void Ten_equal_pairs_tell_the_detectable_change()
    {
        var row = PairJudge.Judge(
            Sides.FullSize, Sides.Slower(0.02, -0.02, 0.01, -0.01, 0.03, -0.03, 0.015, -0.015, 0.005, -0.005));

        Assert.Equal(GateVerdict.NotRegressed, row.Verdict);
        var throughput = row.Finding("throughput");
        var deviation = MathNet.Numerics.Statistics.Statistics.StandardDeviation(
            new[] { 0.02, -0.02, 0.01, -0.01, 0.03, -0.03, 0.015, -0.015, 0.005, -0.005 }.Select(
                share => Math.Log(1 + share)));
        Assert.Equal((1.05 * Math.Exp(3.3 * deviation / Math.Sqrt(10))) - 1, throughput.DetectableChange!.Value, 9);
    }

    [Fact]
    public void Noise_beyond_both_margins_is_inconclusive()
    {
        var row = PairJudge.Judge(Sides.FullSize, Sides.Slower(0.6, -0.4, 0.8, -0.5, 0.5, -0.3, 0.7, -0.4, 0.4, -0.2));

        Assert.Equal(GateVerdict.Inconclusive, row.Verdict);
        Assert.Contains("too noisy", row.Finding("p50").Reason);
        Assert.True(row.Finding("p50").DetectableChange > 0.3);
    }

    [Theory]
    [InlineData(10, GateVerdict.Regressed)]
    [InlineData(9, GateVerdict.Inconclusive)] // Nine pairs cannot be worse by chance as seldom as once in a thousand.
    public void Large_change_in_noise_needs_ten_worse_pairs(int pairs, GateVerdict expected)
    {
        double[] shares = [0.3, 1.8, 0.5, 2.4, 0.2, 1.1, 3.0, 0.4, 0.9, 1.5];

        var finding = PairJudge.Judge(Sides.FullSize, Sides.Slower(shares[..pairs])).Finding("p50");

        Assert.True(finding.DetectableChange > 0.3);
        Assert.Equal(expected, finding.Verdict);
    }

    [Fact]
    public void Certain_change_within_the_margin_is_not_a_regression()
    {
        var row = PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side(0.04)));

        Assert.Equal(GateVerdict.NotRegressed, row.Verdict);
        Assert.Equal(0.04, row.Finding("p95").Lower99!.Value, 9);
    }

    [Fact]
    public void Costs_gate_like_times_and_in_vetoed_pairs_too()
    {
        var row = PairJudge.Judge(Sides.FullSize, Vetoed(10, Sides.Of(10, _ => Sides.Side(costlier: 0.06))));

        Assert.Equal(
            ["serviceCpu", "allocated"], row.Findings.Where(finding => finding.Verdict == GateVerdict.Regressed)
            .Select(finding => finding.Metric));
        Assert.Equal((GateVerdict.NotGated, GateMetricKind.Cost),
            (row.Finding("databaseCpu").Verdict, row.Finding("databaseCpu").Kind));
    }

    [Theory]
    [InlineData(0.03, GateVerdict.Regressed)] // A sequential decision has a narrower margin.
    [InlineData(0.015, GateVerdict.NotRegressed)]
    public void Sequential_decision_has_a_margin_of_two_percent(double slower, GateVerdict expected)
    {
        var row =
            PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side(slower)), design: GateDesign.Sequential(40));

        Assert.Equal(expected, row.Finding("throughput").Verdict);
    }

    [Fact]
    public void Sequential_decision_looks_seldom_and_at_its_last_pair() =>
        Assert.Equal([10, 15, 20, 30, 40, 60, 70], GateDesign.Sequential(70).Looks);

    [Fact]
    public void Ninety_ninth_percentile_has_a_wider_margin()
    {
        var row = PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side(0.12)));

        Assert.Equal((GateVerdict.Regressed, GateVerdict.NotRegressed),
            (row.Finding("p95").Verdict, row.Finding("p99").Verdict));
    }

    [Fact]
    public void Percentile_with_too_few_samples_is_not_gated()
    {
        var row = PairJudge.Judge(
            Sides.FullSize, Sides.Of(10, number => Sides.Side(0.5) with { N = number == 3 ? 999 : 16_000 }));

        Assert.Equal(
            (GateVerdict.NotGated, GateVerdict.Regressed), (row.Finding("p99").Verdict, row.Finding("p95").Verdict));
        Assert.Contains("999 samples; ten beyond p99 need 1000", row.Finding("p99").Reason);
    }

    [Theory]
    [InlineData("postgres-signal-roundtrip-throughput-parallel", GateVerdict.NotGated)]
    [InlineData("postgres-signal-roundtrip-throughput-parallel-xl-http", GateVerdict.Regressed)]
    public void Times_gate_only_at_full_size(string scenario, GateVerdict expected) =>
        Assert.Equal(
            expected, PairJudge.Judge(scenario, Sides.Of(10, _ => Sides.Side(0.5))).Finding("throughput").Verdict);

    [Theory]
    [InlineData(0.0, GateVerdict.NotRegressed)]
    [InlineData(0.3, GateVerdict.NotGated)] // Start and compilation weigh where operations are few.
    [InlineData(1.0, GateVerdict.Regressed)]
    public void Cost_below_full_size_is_gated_where_it_is_clear(double costlier, GateVerdict expected)
    {
        var row = PairJudge.Judge("postgres-signal-roundtrip-smoke", Sides.Of(10, _ => Sides.Side(costlier: costlier)));

        Assert.All(["serviceCpu", "allocated"], cost => Assert.Equal(expected, row.Finding(cost).Verdict));
    }

    [Fact]
    public void Log_of_few_operations_that_doubles_regresses_by_pairs()
    {
        GateSide Few(double walBytes) => Sides.Side() with
        {
            Operations = 30, Counters = new Dictionary<string, double?> { ["walBytes"] = walBytes },
        };

        var pairs = Sides.Of(10, _ => Few(586)).Select(pair => pair with { Base = Few(293) }).ToList();

        Assert.Equal(
            GateVerdict.Regressed,
            PairJudge.Judge("postgres-payment-rejection-smoke", pairs).Finding("walBytes").Verdict);
    }

    [Fact]
    public void Vetoed_pairs_are_left_out_of_times()
    {
        var row = PairJudge.Judge(Sides.FullSize, Vetoed(3, Sides.Of(10, _ => Sides.Side(0.5))));

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Noise), (row.Verdict, row.Cause));
        Assert.Contains("7 of 10 pairs are valid for times, and 8 are needed", Assert.Single(row.Reasons));
        Assert.DoesNotContain(row.Findings, finding => finding.Kind == GateMetricKind.Time);
    }

    [Theory]
    [InlineData(10, 0, null, GateCause.Unlike)] // Every pair, and always by the candidate.
    [InlineData(9, 1, null, GateCause.Noise)]
    [InlineData(5, 5, null, GateCause.Noise)]
    [InlineData(20, 3, 60, GateCause.Unlike)] // The pairs that are left are those that the candidate chose.
    [InlineData(12, 8, 60, null)]
    public void Vetoes_of_the_candidate_alone_are_not_noise(
        int candidate, int reference, int? mostPairs, GateCause? expected)
    {
        var pairs = Sides.Of(mostPairs ?? 10, _ => Sides.Side()).Select(pair => pair with
        {
            Vetoes = pair.Number <= candidate ? ["candidate: inconclusive: stall"]
                : pair.Number <= candidate + reference ? ["base: inconclusive: stall"] : [],
        }).ToList();

        var row =
            PairJudge.Judge(Sides.FullSize, pairs, design: mostPairs is { } most ? GateDesign.Sequential(most) : null);

        Assert.Equal((expected is null ? GateVerdict.NotRegressed : GateVerdict.Inconclusive, expected),
            (row.Verdict, row.Cause));
        Assert.Equal(expected == GateCause.Unlike, row.Reasons.Any(reason => reason.Contains(
            $"{candidate} are vetoed for the candidate alone and {reference} for the base alone",
            StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("statements")]
    [InlineData("serviceCpu")]
    [InlineData("p95")]
    public void What_the_base_records_and_the_candidate_does_not_cannot_pass(string metric)
    {
        GateSide Silent(GateSide side) => metric switch
        {
            "serviceCpu" => side with { ServiceCpuMs = null },
            "p95" => side with { P95Ms = null },
            _ => side with { Counters = side.Counters.ToDictionary(c => c.Key, c => c.Key == metric ? null : c.Value) },
        };

        var row = PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Silent(Sides.Side())));
        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike), (row.Verdict, row.Cause));
        Assert.Equal($"The candidate does not record what the base does: {metric}.", Assert.Single(row.Reasons));

        // One of ten that says nothing hides nothing.
        var worse = Sides.Side(slower: 0.2, costlier: 0.2);
        worse = worse with { Counters = worse.Counters.ToDictionary(c => c.Key, c => c.Value + 1) };
        var seldom = PairJudge.Judge(Sides.FullSize, Sides.Of(10, number => number == 4 ? Silent(worse) : worse))
            .Finding(metric);
        Assert.Equal((GateVerdict.Regressed, 9), (seldom.Verdict, seldom.Pairs));
    }

    [Fact]
    public void Candidate_without_an_account_cannot_pass()
    {
        var row = PairJudge.Judge(
            Sides.FullSize, Sides.Of(10, _ => Sides.Side() with { Faults = new Dictionary<string, long>() }));

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike), (row.Verdict, row.Cause));
        Assert.Contains("does not record what the base does: lost, stuck", Assert.Single(row.Reasons));
    }

    [Fact]
    public void Counters_gate_on_a_machine_so_busy_that_every_pair_is_vetoed()
    {
        var worse = PairJudge.Judge(Sides.FullSize, Vetoed(10, Sides.Of(10, _ => Sides.Side(commits: 2.28))));
        Assert.Equal((GateVerdict.Regressed, GateVerdict.Regressed), (worse.Verdict, worse.Finding("commits").Verdict));

        var same = PairJudge.Judge(Sides.FullSize, Vetoed(10, Sides.Of(10, _ => Sides.Side())));
        Assert.Equal(
            (GateVerdict.Inconclusive, GateVerdict.NotRegressed), (same.Verdict, same.Finding("commits").Verdict));

        // Where times do not gate anyway there is nothing to wait for.
        var small = PairJudge.Judge("postgres-signal-roundtrip-smoke", Vetoed(10, Sides.Of(10, _ => Sides.Side())));
        Assert.Equal(GateVerdict.NotRegressed, small.Verdict);
    }

    [Fact]
    public void Counters_of_a_run_that_failed_do_not_count()
    {
        var pairs = Sides.Of(
            10, _ => Sides.Side(commits: 2.28) with { Faults = new Dictionary<string, long> { ["failedRuns"] = 1 } });

        var row = PairJudge.Judge(Sides.FullSize, pairs);

        Assert.DoesNotContain(row.Findings, finding => finding.Kind == GateMetricKind.Counter);
        Assert.Equal(GateVerdict.Regressed, row.Finding("failedRuns").Verdict);
    }

    [Theory]
    [InlineData(10, 0, GateVerdict.Regressed, null)]
    [InlineData(1, 0, GateVerdict.Regressed, null)]
    [InlineData(10, 10, GateVerdict.Inconclusive, GateCause.MissingBase)]
    [InlineData(0, 10, GateVerdict.Inconclusive, GateCause.MissingBase)]
    public void Missing_candidate_regresses_and_missing_base_does_not(
        int candidates, int bases, GateVerdict expected, GateCause? cause)
    {
        var pairs = Sides.Of(10, _ => Sides.Side()).Select(pair => pair with
        {
            Base = pair.Number <= bases ? null : pair.Base,
            Candidate = pair.Number <= candidates ? null : pair.Candidate,
        }).ToList();

        var row = PairJudge.Judge(Sides.FullSize, pairs);

        Assert.Equal((expected, cause), (row.Verdict, row.Cause));
    }

    [Fact]
    public void Base_whose_runs_failed_is_a_missing_one()
    {
        var failed = Sides.Side() with { Faults = new Dictionary<string, long> { ["failedRuns"] = 1 } };

        var row =
            PairJudge.Judge(Sides.FullSize, [.. Sides.Of(10, _ => failed).Select(pair => pair with { Base = failed })]);

        Assert.Equal((GateVerdict.Inconclusive, GateCause.MissingBase), (row.Verdict, row.Cause));
    }

    [Fact]
    public void Counter_with_only_its_bound_beyond_limit_is_inconclusive()
    {
        double[] commits = [1.20, 1.29, 1.22, 1.29, 1.18, 1.50, 1.25, 1.19, 1.60, 1.55];

        var finding = PairJudge.Judge(Sides.FullSize, Sides.Of(10, number => Sides.Side(commits: commits[number - 1])))
            .Finding("commits");

        Assert.Equal(GateVerdict.Inconclusive, finding.Verdict);
        Assert.Contains("nor are within it at 95 %", finding.Reason);
    }

    [Fact]
    public void One_lost_event_in_one_side_regresses_even_in_a_vetoed_pair()
    {
        var pairs = Sides.Of(3, number => Sides.Side(lost: number == 2 ? 1 : 0))
            .Select(pair => pair with { Vetoes = ["candidate: failed"] }).ToList();

        var row = PairJudge.Judge(Sides.FullSize, pairs);

        Assert.Equal((GateVerdict.Regressed, GateVerdict.Regressed), (row.Verdict, row.Finding("lost").Verdict));
        Assert.Equal((1, 0), (row.Finding("lost").Measured, row.Finding("lost").Limit));
    }

    [Fact]
    public void One_more_commit_per_operation_regresses_that_counter_alone()
    {
        var row = PairJudge.Judge(Sides.FullSize, Sides.Of(8, number => Sides.Side(commits: 2.28 + (number * 0.001))));

        Assert.Equal(
            ["commits"],
            row.Findings.Where(finding => finding.Verdict == GateVerdict.Regressed).Select(finding => finding.Metric));
        Assert.Equal(1.28 * 1.02, row.Finding("commits").Limit!.Value, 9);
    }

    [Fact]
    public void Counter_that_scatters_over_its_limit_is_inconclusive()
    {
        double[] commits = [1.20, 1.40, 1.22, 1.42, 1.18, 1.41, 1.35, 1.19, 1.39, 1.36];

        var finding = PairJudge.Judge(Sides.FullSize, Sides.Of(10, number => Sides.Side(commits: commits[number - 1])))
            .Finding("commits");

        Assert.Equal(GateVerdict.Inconclusive, finding.Verdict);
        Assert.Contains("neither exceed that at 99.9 %", finding.Reason);
    }

    [Theory]
    [InlineData("rows", "0 of 10 pairs count it on both sides")]
    [InlineData("walSyncs", "reported and not gated")]
    public void Counter_without_a_class_is_not_gated(string counter, string reason)
    {
        var finding = PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side())).Finding(counter);

        Assert.Equal(GateVerdict.NotGated, finding.Verdict);
        Assert.Contains(reason, finding.Reason);
    }

    [Fact]
    public void Counters_of_unlike_sources_are_not_gated()
    {
        var own = new Dictionary<string, string> { ["commits"] = "engine.flushes" };

        var finding =
            PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side(commits: 9) with { CounterSources = own }))
            .Finding("commits");

        Assert.Equal(GateVerdict.NotGated, finding.Verdict);
    }

    [Fact]
    public void Hindrance_keeps_a_row_from_passing_and_not_from_failing()
    {
        Assert.Equal(GateVerdict.Inconclusive,
            PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side()), "unlike").Verdict);
        Assert.Equal(GateVerdict.Regressed,
            PairJudge.Judge(Sides.FullSize, Sides.Of(10, _ => Sides.Side(lost: 1)), "unlike").Verdict);
    }

    [Fact]
    public void Conflicts_regress_when_they_are_surely_half_as_many_again()
    {
        GateRow With(long before, long after) => PairJudge.Judge(
            Sides.FullSize, [.. Sides.Of(10, _ => Sides.Side() with { Conflicts = after })
                .Select(pair => pair with { Base = pair.Base! with { Conflicts = before } })]);

        Assert.Equal(GateVerdict.Regressed, With(2, 6).Finding("runtimeConflicts").Verdict);
        Assert.Equal(GateVerdict.NotRegressed, With(20, 23).Finding("runtimeConflicts").Verdict);
        Assert.Equal(GateVerdict.NotRegressed, With(0, 0).Finding("runtimeConflicts").Verdict);
    }

    private static IReadOnlyList<GatePair> Vetoed(int first, IReadOnlyList<GatePair> pairs) =>
        [.. pairs.Select(pair => pair.Number <= first ? pair with { Vetoes = ["base: stolen"] } : pair)];
}
