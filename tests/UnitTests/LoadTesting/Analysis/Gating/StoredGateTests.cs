using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting.Tables;

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
    [InlineData(16, 2000, 1.28, 1.55, GateVerdict.NotRegressed)]
    [InlineData(16, 2000, 1.28, 2.28, GateVerdict.Regressed)]
    [InlineData(16, 16_000, 0.126, 0.18, GateVerdict.NotRegressed)] // Shared commits: half.
    [InlineData(16, 16_000, 0.126, 0.252, GateVerdict.Regressed)]
    [InlineData(16, 96, 1.28, 2.28, GateVerdict.NotGated)] // Shared by few: timing alone.
    public void Commits_are_held_to_what_their_sharing_allows(
        int concurrency, int operations, double before, double after, GateVerdict expected)
    {
        var finding = StoredGate.Judge(
            [Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, commits: before))],
            Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, commits: after))).Scenarios[0]
            .Finding("commits");

        Assert.Equal(expected, finding.Verdict);
    }

    [Theory]
    [InlineData(1, 12, 2300, 3400, GateVerdict.NotRegressed)]
    [InlineData(
        1, 12, 2300, 3600, GateVerdict.Suspect)] // Two images of a page in all, and more than half as much again.
    [InlineData(16, 12, 2300, 3600, GateVerdict.Suspect)]
    [InlineData(1, 12, 2300, 3700, GateVerdict.Regressed)]
    [InlineData(1, 2000, 2300, 2480, GateVerdict.NotRegressed)] // 8 %.
    [InlineData(1, 2000, 2300, 2490, GateVerdict.Regressed)]
    [InlineData(16, 30, 1.87, 3.5, GateVerdict.Suspect)] // Nothing of its own is logged, and the limit was 548.
    [InlineData(16, 30, 293, 548, GateVerdict.Suspect)]
    [InlineData(16, 500, 1228, 2456, GateVerdict.Regressed)]
    public void Log_that_doubles_never_passes_whatever_a_page_image_weighs(
        int concurrency, int operations, double before, double after, GateVerdict expected)
    {
        var result = StoredGate.Judge(
            [Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, walBytes: before))],
            Sides.Run(Sides.Scenario(concurrency: concurrency, operations: operations, walBytes: after)));

        var finding = result.Scenarios[0].Finding("walBytes");
        Assert.Equal(expected, finding.Verdict);
        Assert.InRange(finding.Limit!.Value, before, 1.5 * before);
        Assert.Equal(expected == GateVerdict.NotRegressed, result.Verdict == GateVerdict.NotRegressed);
    }

    [Theory]
    [InlineData("commits", 2, 1)]
    [InlineData("statements", 5, 1)]
    [InlineData("rows", 6, 16)]
    [InlineData("logicalReads", 39, 1)]
    [InlineData("walBytes", 2300, 16)]
    [InlineData("walRecords", 30, 16)]
    [InlineData("messagesDelivered", 9, 16)]
    [InlineData("httpRequests", 1, 16)]
    public void Every_counter_that_doubles_regresses(string counter, double value, int concurrency)
    {
        ComparisonSource Run(double counted) => Sides.Run(Sides.Scenario(concurrency: concurrency) with
        {
            Backend = new BackendCounters
                { PerOperation = new Dictionary<string, double?> { ["commits"] = 2, [counter] = counted } },
        });

        Assert.Equal(
            GateVerdict.NotRegressed, StoredGate.Judge([Run(value)], Run(value)).Scenarios[0].Finding(counter).Verdict);
        Assert.Equal(
            GateVerdict.Regressed,
            StoredGate.Judge([Run(value)], Run(2 * value)).Scenarios[0].Finding(counter).Verdict);
        Assert.Equal(
            GateVerdict.Regressed,
            StoredGate.Judge([Elsewhere(Run(value))], Run(2 * value)).Scenarios[0].Finding(counter).Verdict);
    }

    [Theory]
    [InlineData("allocated", 12, 1.2, GateVerdict.NotRegressed)]
    [InlineData("allocated", 12, 2, GateVerdict.Regressed)]
    [InlineData("serviceCpu", 12, 2.1, GateVerdict.NotGated)] // Compilation weighs more than so few.
    [InlineData("serviceCpu", 2000, 1.4, GateVerdict.NotRegressed)]
    [InlineData("serviceCpu", 2000, 1.8, GateVerdict.Suspect)]
    [InlineData("serviceCpu", 2000, 2.1, GateVerdict.Regressed)]
    [InlineData("databaseCpu", 2000, 2.1, GateVerdict.Regressed)]
    public void Measured_cost_beside_a_stored_run_is_judged(
        string cost, int operations, double times, GateVerdict expected)
    {
        var result = StoredGate.Judge([Costly(operations, 1)], Costly(operations, times));

        Assert.Equal(expected, result.Scenarios[0].Finding(cost).Verdict);
    }

    [Fact]
    public void Only_allocations_of_another_machine_are_gated()
    {
        var row = StoredGate.Judge([Elsewhere(Costly(2000, 1))], Costly(2000, 2.1)).Scenarios[0];

        Assert.Equal(
            (GateVerdict.NotGated, GateVerdict.Regressed),
            (row.Finding("serviceCpu").Verdict, row.Finding("allocated").Verdict));
    }

    [Theory]
    [InlineData(1.0, GateVerdict.Regressed)] // 2 % is all that runs that agree leave.
    [InlineData(0.9, GateVerdict.NotRegressed)]
    public void Limit_of_a_counter_follows_the_recorded_noise(double spread, GateVerdict expected)
    {
        double[] shares = [1, 1 / spread, spread, 1, 1 / spread];
        var stored =
            shares.Select(share => Sides.Run(Sides.Scenario(operations: 16_000, commits: 0.2 * share))).ToList();

        var finding =
            StoredGate.Judge(stored, Sides.Run(Sides.Scenario(operations: 16_000, commits: 0.26))).Scenarios[0]
            .Finding("commits");

        Assert.Equal(expected, finding.Verdict);
        Assert.Contains("5 stored runs differ by", finding.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Stored_run_of_another_level_does_not_widen_the_limit()
    {
        double[] stored = [1.27, 0.14, 0.15, 0.145, 0.15];

        var result = StoredGate.Judge(
            [.. stored.Select(commits => Sides.Run(Sides.Scenario(operations: 16_000, commits: commits)))],
            Sides.Run(Sides.Scenario(operations: 16_000, commits: 0.3)));

        Assert.Equal(GateVerdict.Regressed, result.Scenarios[0].Finding("commits").Verdict);
    }

    [Theory]
    [InlineData(11, 12, GateVerdict.Inconclusive, GateCause.Unjudged)]
    [InlineData(12, 11, GateVerdict.NotRegressed, null)]
    [InlineData(1, 1, GateVerdict.NotRegressed, null)]
    [InlineData(0, 2, GateVerdict.Inconclusive, GateCause.Unjudged)]
    public void Run_of_which_less_than_half_can_be_gated_is_unjudged(
        int gated, int bare, GateVerdict expected, GateCause? cause)
    {
        var run = Sides.Run([
            .. Enumerable.Range(0, gated).Select(number => Sides.Scenario($"gated-{number}")),
            .. Enumerable.Range(0, bare).Select(number => Sides.Scenario($"bare-{number}") with { Backend = null }),
        ]);

        var result = StoredGate.Judge([run], run);

        Assert.Equal((expected, cause), (result.Verdict, result.Cause));
        Assert.Equal((gated, gated + bare), (result.Gated, result.ScenarioCount));
        Assert.Contains($"gated {gated} of {gated + bare} scenarios", GateTables.Statements(result, null)[0],
            StringComparison.Ordinal);
        Assert.Contains($"\"gated\": {gated},", GateJson.Write(result), StringComparison.Ordinal);
        Assert.Contains($"\"scenarioCount\": {gated + bare},", GateJson.Write(result), StringComparison.Ordinal);
        Assert.Equal(
            cause is not null, GateJson.Write(result).Contains("\"cause\": \"unjudged\"", StringComparison.Ordinal));
    }

    [Fact]
    public void Regression_among_much_that_is_unjudged_fails()
    {
        ComparisonSource Run(double commits) => Sides.Run([
            Sides.Scenario(concurrency: 1, commits: commits),
            .. Enumerable.Range(0, 5).Select(number => Sides.Scenario($"bare-{number}") with { Backend = null }),
        ]);

        Assert.Equal(GateVerdict.Regressed, StoredGate.Judge([Run(2)], Run(3)).Verdict);
    }

    [Fact]
    public void Scenarios_only_in_the_candidate_are_not_gated()
    {
        var result = StoredGate.Judge(
            [Sides.Run(Sides.Scenario())],
            Sides.Run(Sides.Scenario(), Sides.Scenario("new-a"), Sides.Scenario("new-b")));

        Assert.Equal((GateCause.Unjudged, 1, 3), (result.Cause, result.Gated, result.ScenarioCount));
        Assert.Contains(
            "Not gated in 2 scenarios: everything but correctness. Only the candidate has this scenario, so there is "
                + "nothing to compare it with.",
            GateTables.Statements(result, null));
    }

    [Fact]
    public void Slower_than_one_stored_run_is_suspect_and_never_more()
    {
        var result =
            StoredGate.Judge([Sides.Run(Sides.Scenario())], Sides.Run(Sides.Scenario(perSecond: 300, medianMs: 20)));

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
        var baselines =
            Enumerable.Range(0, 12).Select(index => Sides.Run(Sides.Scenario(perSecond: 900 + (index % 4 * 60))))
            .Select((source, index) =>
                source with { Run = source.Run with { CreatedUtc = source.Run.CreatedUtc.AddDays(index % 3) } })
                .ToList();

        var finding = StoredGate.Judge(baselines, Sides.Run(Sides.Scenario(perSecond: perSecond))).Scenarios[0]
            .Finding("throughput");

        Assert.Equal(expected, finding.Verdict);
        Assert.Contains("prediction interval of 12 stored runs of 3 days", finding.Reason);
    }

    [Fact]
    public void Only_counters_gate_on_another_machine()
    {
        var elsewhere = Elsewhere(Sides.Run(Sides.Scenario(concurrency: 1, commits: 2)));

        var result = StoredGate.Judge(
            [elsewhere], Sides.Run(Sides.Scenario(concurrency: 1, commits: 3, perSecond: 10, medianMs: 500)));

        Assert.Equal(
            ["commits"], result.Scenarios[0].Findings.Where(finding => finding.Verdict == GateVerdict.Regressed)
            .Select(finding => finding.Metric));
        Assert.Contains("counters only", result.Scenarios[0].Finding("p50").Reason);
    }

    [Fact]
    public void Shared_commits_of_another_machine_are_not_gated()
    {
        var finding = StoredGate.Judge(
            [Elsewhere(Sides.Run(Sides.Scenario()))], Sides.Run(Sides.Scenario(commits: 2))).Scenarios[0]
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
        var backends = new Dictionary<string, BackendInfo>
            { ["postgres"] = new() { Product = "PostgreSQL", Durability = "none" } };
        var careless =
            run with { Run = run.Run with { Environment = run.Run.Environment with { Backends = backends } } };

        Assert.StartsWith(
            "Refused: durability is none and durable", StoredGate.Judge([careless], run).Scenarios[0].Reasons[0]);
    }

    [Fact]
    public void Failed_candidate_regresses_and_failed_baseline_is_refused()
    {
        var failed = Sides.Run(Sides.Scenario() with
        {
            Verdict = new(VerdictOutcome.Failed, ["lost is 1 and must be 0"]),
            Ledger = new LedgerResult { Requested = 2000, Started = 2000, Completed = 1999, Stuck = 1, Lost = 1 },
        });

        var row = StoredGate.Judge([Sides.Run(Sides.Scenario())], failed).Scenarios[0];

        Assert.Equal(GateVerdict.Regressed, row.Verdict);
        Assert.All(new[] { "failedRuns", "lost", "stuck" },
            metric => Assert.Equal(GateVerdict.Regressed, row.Finding(metric).Verdict));
        Assert.StartsWith("Refused: the baseline's own run failed",
            StoredGate.Judge([failed], Sides.Run(Sides.Scenario())).Scenarios[0].Reasons[0]);
    }

    [Fact]
    public void Nothing_that_could_be_gated_is_inconclusive()
    {
        var bare = Sides.Scenario("immediate-burst-smoke") with { Backend = null };

        var result = StoredGate.Judge([Sides.Run(bare)], Sides.Run(bare));

        Assert.Equal((GateVerdict.Inconclusive, GateVerdict.NotGated), (result.Verdict, result.Scenarios[0].Verdict));
        Assert.Contains(
            result.Reasons, reason => reason.StartsWith("Nothing was gated but correctness", StringComparison.Ordinal));
        Assert.Equal(
            GateVerdict.Inconclusive, StoredGate.Judge([Sides.Run(Sides.Scenario("other"))], Sides.Run(bare)).Verdict);
    }

    [Theory]
    [InlineData("ledger", "ledger")]
    [InlineData("counters", "commits, rows, walBytes")]
    [InlineData("one counter", "walBytes")]
    [InlineData("source", "commits")]
    [InlineData("latency", "latency")]
    public void Candidate_that_lacks_a_baseline_figure_cannot_pass(string what, string named)
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
                    PerOperation =
                        new Dictionary<string, double?>(scenario.Backend.PerOperation) { ["walBytes"] = null },
                },
            },
            "source" => scenario with
            {
                Backend = scenario.Backend!
                    with { Sources = new Dictionary<string, string> { ["commits"] = "engine.flushes" } },
            },
            _ => scenario with { Latency = new() { N = 0 } },
        };

        var result =
            StoredGate.Judge([Sides.Run(scenario, Sides.Scenario("b"))], Sides.Run(silent, Sides.Scenario("b")));

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike), (result.Verdict, result.Cause));
        Assert.Equal($"The candidate does not record what the baseline does: {named}.",
            Assert.Single(result.Scenarios[0].Reasons));
    }

    [Fact]
    public void Scenario_that_the_candidate_left_out_of_its_tier_cannot_pass()
    {
        var both = Sides.Run(Sides.Scenario(), Sides.Scenario("another-xl"));

        var row = StoredGate.Judge([both], Sides.Run(Sides.Scenario())).Scenarios[^1];
        Assert.Equal(("postgres-another-xl", GateVerdict.Inconclusive, GateCause.Unlike),
            (row.Scenario, row.Verdict, row.Cause));

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
            [Sides.Run(Sides.Scenario())],
            Sides.Run(Sides.Scenario() with { Verdict = new(VerdictOutcome.Inconclusive, ["late"]) }));

        Assert.Equal(GateVerdict.Inconclusive, result.Verdict);
    }

    private static ComparisonSource Costly(
        int operations, double times) => Sides.Run(Sides.Scenario(operations: operations) with
    {
        Resources = new ResourcesResult
        {
            Generator = new Dictionary<string, double?>
            {
                [ResourcesResult.CpuSecondsPerOperation] = 0.0001 * times,
                [ResourcesResult.AllocatedBytesPerOperation] = 40_000 * times,
            },
            Database = new Dictionary<string, double?> { [ResourcesResult.CpuSecondsPerOperation] = 0.00005 * times },
        },
    });

    private static ComparisonSource Elsewhere(ComparisonSource source) =>
        source with { Run = source.Run with { Environment = source.Run.Environment with { CpuModel = "elsewhere" } } };
}
