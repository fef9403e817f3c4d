namespace UnitTests.LoadTesting.Results;

public sealed class RunMergeTests
{
    [Fact]
    public void Merged_percentiles_are_of_all_operations()
    {
        var (fast, slow) = (Runs.Scenario(perSecond: 1000, medianMs: 5), Runs.Scenario(perSecond: 250, medianMs: 20));

        var merged = Assert.Single(Merge(DailyRun(1, fast), DailyRun(2, slow)).Scenarios);

        var all = LatencyHistogram.MergeAll(
            [LatencyHistogram.Parse(fast.Latency.Histogram!), LatencyHistogram.Parse(slow.Latency.Histogram!)]);
        Assert.Equal(all.ToSparseString(), merged.Latency.Histogram);
        Assert.Equal(
            (400, all.PercentileMs(99), all.AverageMs),
            (merged.Latency.N, merged.Latency.P99Ms!.Value, merged.Latency.AverageMs!.Value));
        Assert.Equal(fast.DurationMs + slow.DurationMs, merged.DurationMs);
        Assert.Equal(400, merged.ThroughputPerSecond, 6);
        Assert.All(merged.Phases, phase => Assert.Equal(2 * fast.Phases[phase.Key].N, phase.Value.N));
        Assert.Equal(
            (400, 400, 200), (merged.Operations, merged.Ledger!.Completed, merged.OperationsOfEachRun()!.Value));
        Assert.True(merged.Ledger.Balanced);
    }

    [Fact]
    public void Values_of_each_run_are_kept()
    {
        var scenarios =
            new[] { Runs.Scenario(perSecond: 900), Runs.Scenario(perSecond: 1000), Runs.Scenario(perSecond: 1100) };

        var parts = Assert.Single(
            Merge([.. scenarios.Select((scenario, index) => DailyRun(index + 1, scenario))]).Scenarios).Runs!;

        Assert.Equal(
            ["20260401T010000Z-8d4f1c2", "20260402T010000Z-8d4f1c2", "20260403T010000Z-8d4f1c2"],
            parts.Select(part => part.RunId));
        Assert.Equal([900, 1000, 1100], parts.Select(part => part.ThroughputPerSecond));
        Assert.All(parts.Zip(scenarios), pair => Assert.Equal(pair.Second.Latency, pair.First.Latency));
        Assert.All(
            parts.Zip(scenarios), pair => Assert.Equal(pair.Second.Backend!.PerOperation, pair.First.PerOperation));
    }

    [Fact]
    public void Counted_costs_are_per_operation_of_the_whole()
    {
        var many = Runs.Scenario() with
        {
            Ledger = new() { Requested = 300, Started = 300, Completed = 300 },
            Backend = Counters(raw: 600, commits: 2),
        };
        var few = Runs.Scenario() with
        {
            Ledger = new() { Requested = 100, Started = 100, Completed = 100 },
            Backend = Counters(raw: 600, commits: 6),
        };

        var merged = Assert.Single(Merge(DailyRun(1, many), DailyRun(2, few)).Scenarios).Backend!;

        Assert.Equal(1200, merged.Raw["commits"]);
        Assert.Equal(3, merged.PerOperation["commits"]);
        Assert.Null(merged.PerOperation["fsyncs"]);
    }

    [Fact]
    public void Counter_of_different_sources_is_not_merged()
    {
        BackendCounters By(params (string Counter, string Source)[] sources) => new()
        {
            PerOperation = new Dictionary<string, double?> { ["commits"] = 2, ["rows"] = 6, ["statements"] = 3 },
            Sources = sources.ToDictionary(source => source.Counter, source => source.Source),
        };

        var merged = Assert.Single(Merge(
            DailyRun(1, Runs.Scenario() with { Backend = By(("commits", "engine.flushes"), ("rows", "engine")) }),
            DailyRun(
                2, Runs.Scenario()
                    with { Backend = By(("commits", "engine.flushes"), ("rows", "log")) })).Scenarios).Backend!;

        Assert.Equal([new("commits", "engine.flushes")], merged.Sources!);
        Assert.Equal((2, null, 3),
            (merged.PerOperation["commits"], merged.PerOperation["rows"], merged.PerOperation["statements"]));
        Assert.Contains("rows is null: not every run counted it by the same source.", merged.Notes);
    }

    [Fact]
    public void Merging_merged_runs_gives_what_merging_all_at_once_gives()
    {
        var dailyRuns = Enumerable.Range(1, 3)
            .Select(daily => DailyRun(daily, Runs.Scenario(perSecond: 900 + (daily * 50), medianMs: 4 + daily)))
            .ToArray();

        var atOnce = Merge(dailyRuns);
        var inSteps = Merge(Merge(dailyRuns[0], dailyRuns[1]), dailyRuns[2]);

        var (one, other) = (atOnce.Scenarios[0], inSteps.Scenarios[0]);
        Assert.Equal(one.Latency, other.Latency);
        Assert.Equal(one.Ledger, other.Ledger);
        Assert.Equal(one.ThroughputPerSecond, other.ThroughputPerSecond, 9);
        Assert.Equal(
            one.Runs!.Select(run => (run.RunId, run.ThroughputPerSecond)),
            other.Runs!.Select(run => (run.RunId, run.ThroughputPerSecond)));
    }

    [Fact]
    public void Repetitions_within_a_run_are_runs_of_their_own()
    {
        var merged = Merge(
            DailyRun(1, Runs.Scenario(perSecond: 900), Runs.Scenario(perSecond: 1000)),
            DailyRun(2, Runs.Scenario(perSecond: 1100)));

        Assert.Equal([900, 1000, 1100], Assert.Single(merged.Scenarios).Runs!.Select(run => run.ThroughputPerSecond));
    }

    [Fact]
    public void Merged_run_compares_with_a_single_one_of_the_same_load()
    {
        var merged = Merge(DailyRun(1, Runs.Scenario()), DailyRun(2, Runs.Scenario()));

        Assert.Equal(ComparisonFinding.TooShort, Runs.Judged(merged, DailyRun(3, Runs.Scenario())).Finding);
    }

    [Fact]
    public void Requests_add_up_and_their_rate_is_that_of_the_whole_time()
    {
        var part = new RequestResult
        {
            Count = 900, Failed = 100, PerSecond = 1_000, Latency = Runs.Scenario().Latency, ReceivedBytes = 8_000,
            SentBytes = 1_600,
        };
        var (fast, slow) = (Runs.Scenario(perSecond: 1000), Runs.Scenario(perSecond: 250));

        var merged = Assert.Single(Merge(
            DailyRun(1, fast with { Requests = part }),
            DailyRun(
                2, slow with { Requests = part with { PerSecond = 250, SentBytes = 2_400 } })).Scenarios).Requests!;

        Assert.Equal((1_800, 200, 16_000L, 4_000L),
            (merged.Count, merged.Failed, merged.ReceivedBytes!.Value, merged.SentBytes!.Value));
        Assert.Equal(400, merged.PerSecond, 6);
        Assert.Equal(2 * part.Latency.N, merged.Latency.N);
    }

    [Fact]
    public void What_is_not_merged_is_said()
    {
        var scenario = Runs.Scenario();
        var merged =
            Assert.Single(Merge(DailyRun(1, scenario), DailyRun(2, scenario with { Resources = null })).Scenarios);

        Assert.Null(merged.Resources);
        Assert.Contains(merged.Notes, note =>
            note.StartsWith("resources is null: it is not merged, or not every run has it", StringComparison.Ordinal));
        Assert.DoesNotContain(merged.Notes, note => note.StartsWith("backend is null", StringComparison.Ordinal));
    }

    [Fact]
    public void Worst_run_decides_each_merged_check()
    {
        var quiet = Runs.Scenario();
        quiet = quiet
            with { Validity =
                quiet.Validity! with { Environment = [CheckResult.AtMost("steal", default, 0.01, 0.02, $"1 %")] } };
        var busy =
            quiet with { Validity =
                quiet.Validity with { Environment = [CheckResult.AtMost("steal", default, 0.03, 0.02, $"3 %")] } };

        var merged =
            Assert.Single(Merge(DailyRun(1, quiet), DailyRun(2, busy), DailyRun(3, quiet)).Scenarios).Validity!;

        Assert.Equal(["3 %"], merged.Vetoes);
        Assert.Equal(quiet.Validity.Checks.Select(check => check.Name), merged.Checks.Select(check => check.Name));
        Assert.True(merged.Valid);
    }

    [Fact]
    public void Merge_keeps_the_stalls_and_errors_of_all_runs()
    {
        var scenario = Runs.Scenario();
        var (stall, other) =
            (new StallResult(10, 300, 8, StallCause.System), new StallResult(5, 2_000, 8, StallCause.Machine));

        var merged = Assert.Single(Merge(
            DailyRun(1, scenario with { Stalls = [stall], Errors = [new("503", "busy", 2), new("-101", "broken", 1)] }),
            DailyRun(2, scenario with { Stalls = [other], Errors = [new("-101", "broken", 4)] })).Scenarios);

        Assert.Equal([stall, other], merged.Stalls!);
        Assert.Equal([new("-101", "broken", 5), new("503", "busy", 2)], merged.Errors!);
        Assert.Null(merged.Timeline);
        Assert.Contains(
            merged.Notes, note => note.StartsWith("timeline is null: it is not merged", StringComparison.Ordinal));
    }

    [Fact]
    public void Worst_run_decides_a_merged_threshold()
    {
        var scenario = Runs.Scenario();
        ThresholdResult P99(double measured, ThresholdOutcome outcome) =>
            new("p99Ms", "<= 50", measured, 200, outcome, ThresholdKind.Times);

        var merged = Assert.Single(Merge(
            DailyRun(1, scenario with { Thresholds = [P99(70, ThresholdOutcome.NotEnoughSamples)] }),
            DailyRun(2, scenario with { Thresholds = [P99(40, ThresholdOutcome.Passed)] })).Scenarios);
        var unlike = Assert.Single(Merge(
            DailyRun(1, scenario with { Thresholds = [P99(40, ThresholdOutcome.Passed)] }),
            DailyRun(2, scenario with { Thresholds = [] })).Scenarios);

        Assert.Equal([P99(70, ThresholdOutcome.NotEnoughSamples) with { N = 400 }], merged.Thresholds!);
        Assert.Null(unlike.Thresholds);
    }

    public static TheoryData<string, string> Unlike => new()
    {
        { "machine", "postgres: processor is 'Intel(R) Xeon(R) CPU @ 2.50GHz'" },
        { "commit",
            "postgres: commit is '8d4f1c2 with uncommitted changes' in a and 'fedcba9 with uncommitted changes' in b" },
        { "content", "postgres-signal-roundtrip: content is '" },
        { "phases", "postgres-signal-roundtrip: phases is 'signalPublish' in a and 'start' in b" },
        { "failed", "postgres-signal-roundtrip: outcome is 'passed' in a and 'failed' in b" },
        { "injected", "postgres-signal-roundtrip: b was made worse on purpose (delay:+30%)" },
        { "histogram", "postgres-signal-roundtrip: the histogram of latency is not recorded in b" },
        { "ledger", "postgres-signal-roundtrip: ledger is not recorded in b" },
        { "twice", "is named 2 times (a, b) and would be counted as often" },
    };

    [Theory]
    [MemberData(nameof(Unlike))]
    public void Unlike_runs_are_refused_with_what_differs(string what, string reported)
    {
        var error = Assert.Throws<FormatException>(() => Merge(DailyRun(1, Runs.Scenario()), Changed(what)));

        Assert.Contains(reported, error.Message);
    }

    [Fact]
    public void Single_run_is_nothing_to_merge() =>
        Assert.Contains(
            "Name at least two", Assert.Throws<FormatException>(() => Merge(DailyRun(1, Runs.Scenario()))).Message);

    [Fact]
    public void Merged_run_is_a_document_like_any_other() =>
        Assert.Equal(2, Assert.Single(
            ResultJson.Read(
                ResultJson.Write(
                    Merge(DailyRun(1, Runs.Scenario()), DailyRun(2, Runs.Scenario())))).Scenarios).Runs!.Count);

    private static RunResult Merge(params RunResult[] runs) =>
        RunComposition.Complete(
            RunMerge.Of([.. runs.Select((run, index) => run.As(((char)('a' + index)).ToString()))]));

    private static RunResult DailyRun(int day, params ScenarioResult[] scenarios)
    {
        var run = Runs.Of(scenarios);
        var created = new DateTimeOffset(2026, 4, day, 1, 0, 0, TimeSpan.Zero);
        return run with
        {
            RunId = $"202604{day:00}T010000Z-8d4f1c2",
            CreatedUtc = created,
            CeilingsByProfile = new Dictionary<string, CeilingsResult>(),
        };
    }

    private static BackendCounters Counters(double raw, double commits) => new()
    {
        Raw = new Dictionary<string, double> { ["commits"] = raw },
        PerOperation = new Dictionary<string, double?> { ["commits"] = commits, ["fsyncs"] = null },
    };

    private static RunResult Changed(string what)
    {
        var run = DailyRun(2, Runs.Scenario());
        var scenario = run.Scenarios[0];
        return what switch
        {
            "machine" => run with { Environment = run.Environment with { CpuModel = "other" } },
            "commit" => run with { Commit = "fedcba9876543210fedcba9876543210fedcba98" },
            "content" => Of(scenario with { DefinitionHash = ContentHash.Of("other") }),
            "phases" =>
                Of(scenario with { Phases = new Dictionary<string, LatencyResult> { ["start"] = scenario.Latency } }),
            "failed" => Of(scenario with { Verdict = new(VerdictOutcome.Failed, []) }),
            "injected" => Of(scenario with { Injected = "delay:+30%" }),
            "histogram" => Of(scenario with { Latency = scenario.Latency with { Histogram = null } }),
            "ledger" => Of(scenario with { Ledger = null }),
            "twice" => DailyRun(1, scenario),
            _ => throw new ArgumentOutOfRangeException(nameof(what), what, "No such change."),
        };

        RunResult Of(ScenarioResult changed) => run with { Scenarios = [changed] };
    }
}
