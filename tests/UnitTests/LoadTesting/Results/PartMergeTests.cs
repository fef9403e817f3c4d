namespace UnitTests.LoadTesting.Results;

public sealed class PartMergeTests
{
    private const string Service = "http://service:5080/";
    private const int Each = 200;

    private static readonly DateTimeOffset Start = new(2026, 4, 1, 1, 0, 0, TimeSpan.Zero);

    /// <summary>The difference, the change that makes it, and the expected message.</summary>
    public static TheoryData<string, Func<RunResult, RunResult>, string> Unlike => new()
    {
        { "commit", run => run with { Commit = "another" }, "commit is " },
        { "build", run => Change(run, part => part with { Build = "another" }),
            "build is 'b' in part 1/3 (1) and 'another' in part 3/3" },
        { "number", run => Change(run, part => part with { Of = 4 }),
            "the number of parts is '3' in part 1/3 (1) and '4'" },
        { "service", run => Change(run, part => part with { Services = Started(8) }),
            "started at 7' in part 1/3 (1) and" },
        { "scenario", run => With(run, result => result with { Name = "postgres-other" }),
            "scenario is 'postgres-signal-roundtrip' in" },
        { "load", run => With(run, result => result with { LoadModel = "open" }),
            "load is 'closed, 8 in flight by builtin' in" },
        { "content", run => With(run, result => result with { DefinitionHash = "another" }), "content is " },
        { "again", run => Change(run, part => part with { Index = 1 }), "part 1 is there 2 times: 1, 3." },
        { "missing", run => Change(run, part => part with { Index = 1 }), "part 3/3 is missing." },
        { "late", run => Change(run, part => part with { StartedUtc = Start.AddSeconds(9) }),
            "part 3/3 (3) began 7.0 s after part 1/3" },
        { "killed", run => run with { Partial = "its process was killed" },
            "part 3/3 (3) is partial: its process was killed." },
        { "whole", run => With(run, result => result with { Part = null }), "3 is not a part of a load." },
    };

    [Theory]
    [MemberData(nameof(Unlike))]
    public void Parts_that_are_not_of_one_load_are_refused_by_name(
        string what, Func<RunResult, RunResult> change, string expected)
    {
        List<RunResult> parts = [Part(1), Part(2), change(Part(3))];

        AssertHolds(Assert.Throws<FormatException>(() => Merge(parts, 600)).Message, expected);
        Assert.NotEmpty(what);
    }

    [Fact]
    public void Percentiles_of_the_whole_are_those_of_the_union_of_samples()
    {
        var random = new Random(5);
        var (all, dealt) =
            (new LatencyHistogram(), Enumerable.Range(0, 3).Select(_ => new LatencyHistogram()).ToList());
        for (var sample = 0; sample < 5_000; sample++)
        {
            var nanoseconds = (long)Math.Exp(10 + (9 * random.NextDouble()));
            all.RecordNanoseconds(nanoseconds);
            dealt[random.Next(3)].RecordNanoseconds(nanoseconds);
        }

        var whole = Whole([.. dealt.Select((latency, place) => With(
            Part(place + 1, laterMs: 900 * place), result => result with
            {
                Latency = LatencyResult.From(latency),
                Timeline = new TimelineResult { IntervalMs = 1_000, Points = [Point(latency)] },
            }))]);

        Assert.Equal(LatencyResult.From(all), whole.Latency);
        Assert.Equal([0L, 1_000, 2_000], whole.Timeline!.Points.Select(point => point.TMs));
        Assert.Equal(dealt.Select(latency => (latency.Count, (double?)latency.PercentileMs(99))),
            whole.Timeline.Points.Select(point => (point.Completed, point.P99Ms)));
    }

    [Fact]
    public void Concurrent_parts_have_summed_counts_and_one_duration()
    {
        var whole = Whole([Part(1), Part(2, laterMs: 10), Part(3)]);

        Assert.Equal(
            (600, 600, 600, true), (whole.Operations, whole.Ledger!.Completed, whole.Latency.N, whole.Ledger.Balanced));
        Assert.Equal((210, 600 / 0.21, 8), (whole.DurationMs, whole.ThroughputPerSecond, whole.Concurrency));
        Assert.Equal([1, 2, 3], whole.Parts!.Select(part => part.Index));
        Assert.Null(whole.Part);
        Assert.Equal((VerdictOutcome.Passed, 0), (whole.Verdict.Outcome, whole.Verdict.Reasons.Count));
    }

    [Theory]
    [InlineData(-1, ": 1 lost"), InlineData(2, ": 2 doubled, or somebody else's")]
    public void Sum_of_the_parts_is_held_against_what_the_service_counted(int more, string expected)
    {
        var whole = Assert.Single(Merge([Part(1), Part(2), Part(3)], 600 + more).Scenarios);

        Assert.Equal(VerdictOutcome.Failed, whole.Verdict.Outcome);
        AssertHolds(Assert.Single(whole.Verdict.Reasons), "startedOnce: the service counted ", expected);
    }

    [Fact]
    public void Service_that_was_restarted_since_is_refused() => AssertHolds(
        Assert.Throws<FormatException>(() => Merge([Part(1), Part(2), Part(3)], 600, started: 8)).Message,
        "is another process than");

    [Theory]
    [InlineData(1, "p95Ms", 3, VerdictOutcome.Passed), InlineData(1, "p95Ms", 400, VerdictOutcome.Passed)]
    [InlineData(0.0001, "p95Ms", 400, VerdictOutcome.Failed), InlineData(1, "p95Ms", 601, VerdictOutcome.Inconclusive)]
    [InlineData(1, "is code", 1, VerdictOutcome.Inconclusive)]
    public void Threshold_is_judged_on_the_whole(
        double limitSeconds, string metric, int minimum, VerdictOutcome expected)
    {
        var limit = string.Create(System.Globalization.CultureInfo.InvariantCulture, $"<= {1_000 * limitSeconds}");
        var rule =
            new ThresholdResult(metric, limit, null, Each, ThresholdOutcome.NotEnoughSamples, ThresholdKind.Times)
        {
            MinimumN = minimum,
        };

        var whole = Whole([.. Enumerable.Range(1, 3).Select(index => With(
            Part(index), result => result with { Tier = "WorkflowPerfNightly", Thresholds = [rule] }))]);

        Assert.Equal(expected, whole.Verdict.Outcome);
    }

    [Fact]
    public void Threshold_of_one_of_several_scenarios_is_judged_on_that_one()
    {
        ThresholdResult Rule(string metric) =>
            new(metric, "<= 0", 0, Each, ThresholdOutcome.Passed, ThresholdKind.Counts);
        var parts = Enumerable.Range(1, 3).Select(index => Part(index)).Select(run => run with
        {
            Scenarios =
            [
                run.Scenarios[0] with { Name = "one", Thresholds = [Rule("failed")] },
                run.Scenarios[0] with { Name = "both", Thresholds = [Rule("one: failed")] },
            ],
        });

        var sum = Merge([.. parts], 600).Scenarios[1];

        Assert.Equal((VerdictOutcome.Passed, 600), (sum.Verdict.Outcome, Assert.Single(sum.Thresholds!).N));
    }

    [Fact]
    public void Late_start_of_a_part_is_in_the_verdict()
    {
        var doubtful =
            Change(Part(2, laterMs: 150), part => part with { Found = new(VerdictOutcome.Inconclusive, ["late"]) });

        var whole = Whole([Part(1), doubtful, Part(3)]);

        Assert.Equal(VerdictOutcome.Inconclusive, whole.Verdict.Outcome);
        AssertHolds(string.Join('\n', whole.Verdict.Reasons), "part 2/3: late", "startsApart: the parts began 0.150 s",
            "part 2/3 last");
    }

    [Fact]
    public void Part_becomes_no_baseline_and_claims_no_pass()
    {
        var part = Part(1);
        var claimed = With(part, result => result with { Verdict = new(VerdictOutcome.Passed, []) });

        Assert.Contains(BaselineRules.Choose(part, []).LeftOut, remark => remark.Field == "part");
        AssertHolds(Assert.Throws<FormatException>(() => ResultJson.Read(ResultJson.Write(claimed))).Message,
            "it is part 1/3 of a load");
        Assert.Throws<FormatException>(() => RunMerge.Of([new("a", part), new("b", Part(2))]));
        Assert.Contains(
            Runs.Compare(part, Part(2)).Rows.SelectMany(row => row.Cells).SelectMany(cell => cell.Differences),
            difference =>
                difference.What == "outcome" && difference.First.Contains("part 1/3 alone", StringComparison.Ordinal));
    }

    private static ScenarioResult Whole(IReadOnlyList<RunResult> parts) => Assert.Single(Merge(parts, 600).Scenarios);

    private static RunResult Merge(IReadOnlyList<RunResult> parts, double counted, double started = 7) => PartMerge.Of(
        [.. parts.Select((run, place) => new ComparisonSource($"{place + 1}", run))],
        new Dictionary<string, IReadOnlyDictionary<string, double>>
        {
            [Service] = new Dictionary<string, double>
            {
                [MetricsPage.ProcessStart] = started, ["started_total"] = 40 + counted, ["called_total"] = 30,
            },
        });

    /// <summary>200 operations in 200 ms; ten more were there before.</summary>
    private static RunResult Part(int index, double laterMs = 0) => Runs.Of(Runs.Scenario() with
    {
        Timeline = null,
        Thresholds = [],
        Stalls = [],
        Part = new PartResult
        {
            Index = index, Of = 3, Host = $"m{index}", Build = "b", Services = Started(7),
            StartedUtc = Start.AddMilliseconds(laterMs),
            EndedUtc = Start.AddSeconds(2), ClockOffsetMs = 3, ClockErrorMs = 0.5,
            Found = new(VerdictOutcome.Passed, []),
            Counts = [new(PartCount.Started, "started_total", "called_total", 10 + index - 1, Each, Each)],
        },
        Verdict = new(VerdictOutcome.Inconclusive, ["alone"]),
    }) with { RunId = $"run{index}" };

    private static Dictionary<string, double> Started(double seconds) => new() { [Service] = seconds };

    private static TimelinePoint Point(LatencyHistogram latency) => new()
    {
        TMs = 0, Started = latency.Count, Completed = latency.Count, Histogram = latency.ToSparseString(),
    };

    private static RunResult With(RunResult run, Func<ScenarioResult, ScenarioResult> change) =>
        run with { Scenarios = [.. run.Scenarios.Select(change)] };

    private static RunResult Change(RunResult run, Func<PartResult, PartResult> change) =>
        With(run, result => result with { Part = change(result.Part!) });
}
