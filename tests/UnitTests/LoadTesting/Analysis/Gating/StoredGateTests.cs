using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

public sealed class StoredGateTests
{
    [Fact]
    public void Equal_runs_have_not_regressed_by_their_counters()
    {
        var result = StoredGate.Judge([Sides.Run(Sides.Scenario())], Sides.Run(Sides.Scenario()));

        Assert.Equal(GateVerdict.NotRegressed, result.Verdict);
        Assert.Equal(GateVerdict.NotRegressed, result.Scenarios[0].Finding("walBytes").Verdict);
    }

    [Theory]
    [InlineData(1, 2000, 2, 2.05, GateVerdict.Regressed)] // One at a time and a whole number of commits: exact, 2 %.
    [InlineData(1, 2000, 2, 2.03, GateVerdict.NotRegressed)]
    [InlineData(1, 12, 2, 2.25, GateVerdict.NotRegressed)] // Three in all are the store's own housekeeping.
    [InlineData(1, 12, 2, 2.34, GateVerdict.Regressed)]
    [InlineData(16, 2000, 1.28, 1.55, GateVerdict.NotRegressed)] // Shared commits: a quarter.
    [InlineData(16, 2000, 1.28, 2.28, GateVerdict.Regressed)]
    [InlineData(16, 96, 1.28, 2.28, GateVerdict.NotGated)] // Shared by few: timing alone.
    public void Commits_are_held_to_what_their_sharing_allows(
        int concurrency, int operations, double before, double after, GateVerdict expected)
    {
        var finding = StoredGate.Judge(
            [Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, commits: before))],
            Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, commits: after))).Scenarios[0].Finding("commits");

        Assert.Equal(expected, finding.Verdict);
    }

    [Theory]
    [InlineData(1, 12, 3600, GateVerdict.NotRegressed)] // Two images of a page in all.
    [InlineData(16, 12, 3600, GateVerdict.NotRegressed)]
    [InlineData(1, 12, 3700, GateVerdict.Regressed)]
    [InlineData(1, 2000, 2480, GateVerdict.NotRegressed)] // 8 %.
    [InlineData(1, 2000, 2490, GateVerdict.Regressed)]
    public void Log_of_few_operations_may_hold_two_page_images_more(int concurrency, int operations, double after, GateVerdict expected)
    {
        var finding = StoredGate.Judge(
            [Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations))],
            Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, walBytes: after))).Scenarios[0].Finding("walBytes");

        Assert.Equal(expected, finding.Verdict);
    }

    [Fact]
    public void Slower_than_one_stored_run_is_suspect_and_never_more()
    {
        var result = StoredGate.Judge([Sides.Run(Sides.Scenario())], Sides.Run(Sides.Scenario(perSecond: 300, medianMs: 20)));

        Assert.Equal(GateVerdict.Inconclusive, result.Verdict);
        var times = result.Scenarios[0].Findings.Where(finding => finding.Kind == GateMetricKind.Time).ToList();
        Assert.All(times, finding => Assert.Equal(GateVerdict.Suspect, finding.Verdict));
        Assert.All(times, finding => Assert.Contains("wfperf gate --pairs", finding.Reason));
    }

    [Theory]
    [InlineData(1000, GateVerdict.NotGated)]
    [InlineData(880, GateVerdict.NotGated)] // Within what these runs scatter.
    [InlineData(500, GateVerdict.Suspect)]
    public void Ten_stored_runs_of_three_days_give_a_prediction_interval(double perSecond, GateVerdict expected)
    {
        var baselines = Enumerable.Range(0, 12).Select(index => Sides.Run(Sides.Scenario(perSecond: 900 + (index % 4 * 60))))
            .Select((source, index) =>
                source with { Run = source.Run with { CreatedUtc = source.Run.CreatedUtc.AddDays(index % 3) } }).ToList();

        var finding = StoredGate.Judge(baselines, Sides.Run(Sides.Scenario(perSecond: perSecond))).Scenarios[0].Finding("throughput");

        Assert.Equal(expected, finding.Verdict);
        Assert.Contains("prediction interval of 12 stored runs of 3 days", finding.Reason);
    }

    [Fact]
    public void On_another_machine_times_are_not_held_against_anything_and_counters_still_gate()
    {
        var elsewhere = Elsewhere(Sides.Run(Sides.Scenario(concurrency: 1, commits: 2)));

        var result = StoredGate.Judge([elsewhere], Sides.Run(Sides.Scenario(concurrency: 1, commits: 3, perSecond: 10, medianMs: 500)));

        Assert.Equal(["commits"], result.Scenarios[0].Findings.Where(finding => finding.Verdict == GateVerdict.Regressed)
            .Select(finding => finding.Metric));
        Assert.Contains("counters only", result.Scenarios[0].Finding("p50").Reason);
    }

    [Fact]
    public void Shared_commits_of_another_machine_are_not_gated()
    {
        var finding = StoredGate.Judge([Elsewhere(Sides.Run(Sides.Scenario()))], Sides.Run(Sides.Scenario(commits: 2))).Scenarios[0]
            .Finding("commits");

        Assert.Equal(GateVerdict.NotGated, finding.Verdict);
        Assert.Contains("depends on the machine", finding.Reason);
    }

    [Fact]
    public void Unlike_content_is_refused_and_named()
    {
        var row = StoredGate.Judge(
            [Sides.Run(Sides.Scenario() with { DefinitionHash = "other" })], Sides.Run(Sides.Scenario())).Scenarios[0];

        Assert.Equal(GateVerdict.Inconclusive, row.Verdict);
        Assert.StartsWith("Refused: content is", Assert.Single(row.Reasons));
    }

    [Fact]
    public void Unlike_durability_is_refused_and_named()
    {
        var run = Sides.Run(Sides.Scenario());
        var backends = new Dictionary<string, BackendInfo> { ["postgres"] = new() { Product = "PostgreSQL", Durability = "none" } };
        var careless = run with { Run = run.Run with { Environment = run.Run.Environment with { Backends = backends } } };

        Assert.StartsWith("Refused: durability is none and durable", StoredGate.Judge([careless], run).Scenarios[0].Reasons[0]);
    }

    [Fact]
    public void Failed_run_of_the_candidate_regresses_and_of_the_baseline_is_refused()
    {
        var failed = Sides.Run(Sides.Scenario() with
        {
            Verdict = new(VerdictOutcome.Failed, ["lost is 1 and must be 0"]),
            Ledger = new LedgerResult { Requested = 2000, Started = 2000, Completed = 1999, Stuck = 1, Lost = 1 },
        });

        var row = StoredGate.Judge([Sides.Run(Sides.Scenario())], failed).Scenarios[0];

        Assert.Equal(GateVerdict.Regressed, row.Verdict);
        Assert.All(new[] { "failedRuns", "lost", "stuck" }, metric => Assert.Equal(GateVerdict.Regressed, row.Finding(metric).Verdict));
        Assert.StartsWith("Refused: the baseline's own run did not pass",
            StoredGate.Judge([failed], Sides.Run(Sides.Scenario())).Scenarios[0].Reasons[0]);
    }

    [Fact]
    public void Nothing_that_could_be_gated_is_inconclusive()
    {
        var bare = Sides.Scenario("immediate-burst-smoke") with { Backend = null };

        var result = StoredGate.Judge([Sides.Run(bare)], Sides.Run(bare));

        Assert.Equal((GateVerdict.Inconclusive, GateVerdict.NotGated), (result.Verdict, result.Scenarios[0].Verdict));
        Assert.Contains(result.Reasons, reason => reason.StartsWith("Nothing was gated but correctness", StringComparison.Ordinal));
        Assert.Equal(GateVerdict.Inconclusive, StoredGate.Judge([Sides.Run(Sides.Scenario("other"))], Sides.Run(bare)).Verdict);
    }

    [Theory]
    [InlineData("ledger", "ledger")]
    [InlineData("counters", "commits, rows, walBytes")]
    [InlineData("one counter", "walBytes")]
    [InlineData("source", "commits")]
    [InlineData("latency", "latency")]
    public void Candidate_that_does_not_record_what_the_baseline_does_cannot_pass(string what, string named)
    {
        var scenario = Sides.Scenario();
        var silent = what switch
        {
            "ledger" => scenario with { Ledger = null },
            "counters" => scenario with { Backend = null },
            "one counter" => scenario with
            {
                Backend = scenario.Backend! with
                {
                    PerOperation = new Dictionary<string, double?>(scenario.Backend.PerOperation) { ["walBytes"] = null },
                },
            },
            "source" => scenario with
            {
                Backend = scenario.Backend! with { Sources = new Dictionary<string, string> { ["commits"] = "engine.flushes" } },
            },
            _ => scenario with { Latency = new() { N = 0 } },
        };

        var result = StoredGate.Judge([Sides.Run(scenario, Sides.Scenario("b"))], Sides.Run(silent, Sides.Scenario("b")));

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike), (result.Verdict, result.Cause));
        Assert.Equal($"The candidate does not record what the baseline does: {named}.", Assert.Single(result.Scenarios[0].Reasons));
    }

    [Fact]
    public void Scenario_that_the_candidate_left_out_of_its_tier_cannot_pass()
    {
        var both = Sides.Run(Sides.Scenario(), Sides.Scenario("another-xl"));

        var row = StoredGate.Judge([both], Sides.Run(Sides.Scenario())).Scenarios[^1];
        Assert.Equal(("postgres-another-xl", GateVerdict.Inconclusive, GateCause.Unlike), (row.Scenario, row.Verdict, row.Cause));

        // Other tiers are other runs, and the newest baseline says what there is.
        var tier = Sides.Run(Sides.Scenario(), Sides.Scenario("another-xl") with { Tier = "WorkflowPerfNightly" });
        Assert.Equal(GateVerdict.NotRegressed, StoredGate.Judge([tier], Sides.Run(Sides.Scenario())).Verdict);
        var newer = Sides.Run(Sides.Scenario());
        newer = newer with { Run = newer.Run with { CreatedUtc = newer.Run.CreatedUtc.AddDays(1) } };
        Assert.Equal(GateVerdict.NotRegressed, StoredGate.Judge([both, newer], Sides.Run(Sides.Scenario())).Verdict);
    }

    [Fact]
    public void Inconclusive_run_of_the_candidate_cannot_pass()
    {
        var result = StoredGate.Judge(
            [Sides.Run(Sides.Scenario())], Sides.Run(Sides.Scenario() with { Verdict = new(VerdictOutcome.Inconclusive, ["late"]) }));

        Assert.Equal(GateVerdict.Inconclusive, result.Verdict);
    }

    private static ComparisonSource Elsewhere(ComparisonSource source) =>
        source with { Run = source.Run with { Environment = source.Run.Environment with { Fingerprint = ContentHash.Of("elsewhere") } } };
}
