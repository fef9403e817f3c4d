using LoadTesting.Core.Load.Events;
using MathNet.Numerics.Distributions;
using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

/// <summary>Every line of the table of verdicts, in the smoke tier and in another.</summary>
public sealed class VerdictTests
{
    private const int Completions = 4_000;

    private const string Smoke = "WorkflowPerfSmoke";
    private const string Nightly = "WorkflowPerfNightly";

    private static readonly VerdictEvidence Sound = new()
    {
        Tier = Nightly,
        Ledger = new() { Requested = 1_000, Started = 1_000, Completed = 1_000 },
    };

    private static readonly VerdictEvidence Saturating = Sound with { Saturation = new(500, 15_000, 10_000) };

    private static readonly EventAwaiterCounts Counts = new()
    {
        Registered = 1_000, Observed = 1_000, Matched = 1_000, Lost = 0, Late = 0, Duplicate = 0, Unmatched = 0,
        OutOfOrder = 0,
        Withdrawn = 0, Buffered = 0, Overflowed = 0, Untracked = 0,
    };

    /// <summary>What is wrong, the line it falls under, and how to say so.</summary>
    private static readonly (string Name, VerdictRule Rule, VerdictEvidence Evidence)[] Cases =
    [
        ("account unbalanced", VerdictRule.Account, With(Sound.Ledger with { Started = 1_001 })),
        ("doubled start that parks", VerdictRule.Account, With(Sound.Ledger with { Waiting = 1 })),
        ("lost", VerdictRule.Account, With(Sound.Ledger with { Lost = 1 })),
        ("duplicate", VerdictRule.Account, With(Sound.Ledger with { Duplicate = 1 })),
        ("refused", VerdictRule.Account, With(Sound.Ledger with { Refused = 1, Started = 999, Completed = 999 })),
        ("untracked event", VerdictRule.Account, Sound with { Events = Counts with { Untracked = 1 } }),
        ("overflowed event", VerdictRule.Account, Sound with { Events = Counts with { Overflowed = 1 } }),
        ("events out of a promised order", VerdictRule.Account,
            Sound with { Events = Counts with { OutOfOrder = 1 }, EventsAreOrdered = true }),
        ("event stream incomplete", VerdictRule.Account,
            Sound with { MissingEvents = "the event stream ends at 0:17" }),
        ("missing phase", VerdictRule.Account,
            Sound with { Failures = ["phase start has 0 samples where 1000 are due"] }),
        ("load ended early", VerdictRule.Account, Sound with { StopReason = "5000 failures" }),
        ("service and client disagree", VerdictRule.Account, Sound with { Checks = [Failed("startedOnce")] }),
        ("leak", VerdictRule.Account, Sound with { Checks = [Failed("workingSetSlope")] }),
        ("errors over their threshold", VerdictRule.CountThreshold,
            Missed("failed", ThresholdKind.Counts, ThresholdOutcome.Failed)),
        ("errors that nobody counted", VerdictRule.CountThreshold,
            Missed("failed", ThresholdKind.Counts, ThresholdOutcome.NotEnoughSamples)),
        ("time over its threshold", VerdictRule.TimeThreshold,
            Missed("p99Ms", ThresholdKind.Times, ThresholdOutcome.Failed)),
        ("percentile of too few", VerdictRule.TimeThresholdWithoutSamples,
            Missed("p99Ms", ThresholdKind.Times, ThresholdOutcome.NotEnoughSamples)),
        ("frozen database", VerdictRule.LongStall, Stalled(1_000, StallCause.System)),
        ("short stall", VerdictRule.ShortStall, Stalled(999, StallCause.System)),
        ("stall of the generator", VerdictRule.Disturbed, Stalled(5_000, StallCause.Generator)),
        ("stall of the machine", VerdictRule.Disturbed, Stalled(5_000, StallCause.Machine)),
        ("stall of unknown cause", VerdictRule.Disturbed, Stalled(5_000, StallCause.Unknown)),
        ("lost in the warm-up", VerdictRule.Account, Sound with { WarmUp = Warm with { Lost = 1 } }),
        ("duplicate in the warm-up", VerdictRule.Account, Sound with { WarmUp = Warm with { Duplicate = 1 } }),
        ("incomplete in the warm-up", VerdictRule.Account, Sound with { WarmUp = Warm with { Completed = 31 } }),
        ("error in the warm-up", VerdictRule.Account,
            Sound with { WarmUp = Warm with { Errors = [new("500", "", 1)] } }),
        ("frozen database in the warm-up", VerdictRule.LongStall, WarmedUp(StallCause.System)),
        ("frozen database in the warm-up of a load that saturates", VerdictRule.LongStall,
            WarmedUp(StallCause.System) with { Saturation = Saturating.Saturation }),
        ("stall of the machine in the warm-up", VerdictRule.Disturbed, WarmedUp(StallCause.Machine)),
        ("late generator", VerdictRule.Disturbed, Sound with { Generator = ["iterations started 40 ms late"] }),
        ("slower all along", VerdictRule.Slower, Sound with { Checks = [Failed("slowdown")] }),
        ("p95 that grows", VerdictRule.Slower, Sound with { Checks = [Failed("p95Slope")] }),
        ("Little's law", VerdictRule.Slower, Sound with { Checks = [Failed("littlesLaw")] }),
        ("Little's law by a bound generator", VerdictRule.Disturbed,
            Sound with { Checks = [Failed("littlesLaw")], Generator = ["work waited 28 ms for a thread"] }),
        ("slower beside others", VerdictRule.SlowerOnBusyHost,
            Sound with { Checks = [Failed("slowdown")], Host = ["steal: 9 %"] }),
        ("p95 that grows beside others", VerdictRule.SlowerOnBusyHost,
            Sound with { Checks = [Failed("p95Slope")], Host = ["steal: 9 %"] }),
        ("interrupted", VerdictRule.Partial,
            Sound with { Partial = "interrupted after 2 s", StopReason = "interrupted" }),
        ("interrupted with too few samples", VerdictRule.Partial,
            Missed("failed", ThresholdKind.Counts, ThresholdOutcome.NotEnoughSamples)
                with { Partial = "interrupted after 2 s" }),
        ("interrupted under a load that saturates", VerdictRule.Partial,
            Saturating with { Partial = "interrupted after 2 s" }),
        ("interrupted with operations that still wait", VerdictRule.Partial,
            With(Sound.Ledger with { Waiting = 10, Completed = 990 }) with { Partial = "interrupted after 2 s" }),
        ("interrupted and lost", VerdictRule.Account,
            With(Sound.Ledger with { Lost = 1, Completed = 999, Stuck = 1 })
                with { Partial = "interrupted after 2 s" }),
        ("faster all along", VerdictRule.NotSettled, Sound with { Checks = [Failed("steadyState")] }),
        ("busy processors of a load that saturates", VerdictRule.Saturated,
            Saturating with { Generator = ["cpu 99 %"] }),
        ("slower under a load that saturates", VerdictRule.Saturated,
            Saturating with { Checks = [Failed("slowdown")] }),
        ("time of a load that saturates", VerdictRule.Saturated,
            Saturating with { Thresholds = Missed("p99Ms", ThresholdKind.Times, ThresholdOutcome.Failed).Thresholds }),
        ("generator that is the limit", VerdictRule.Disturbed,
            Sound with { Saturation = new(500, NoOpPerSecond: 14_999, RequestsPerSecond: 10_000) }),
        ("generator that did nothing", VerdictRule.Disturbed, Sound with { Saturation = new(500, double.NaN, 10_000) }),
        ("frozen database under a load that saturates", VerdictRule.LongStall,
            Saturating with { Stalls = Stalled(1_000, StallCause.System).Stalls }),
        ("lost under a load that saturates", VerdictRule.Account,
            Saturating with { Ledger = Sound.Ledger with { Lost = 1 } }),
        ("errors under a load that saturates", VerdictRule.CountThreshold,
            Saturating
                with { Thresholds = Missed("failed", ThresholdKind.Counts, ThresholdOutcome.Failed).Thresholds }),
    ];

    public static TheoryData<string> Names { get; } = [.. Cases.Select(@case => @case.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Run_is_judged_by_its_line_of_the_table(string name)
    {
        var (_, rule, evidence) = Cases.Single(@case => @case.Name == name);
        var line = Verdicts.Table.Single(line => line.Rule == rule);

        Expect(line.Others, Verdicts.Judge(evidence));
        Expect(line.Smoke, Verdicts.Judge(evidence with { Tier = Smoke }));
    }

    [Theory]
    [InlineData("slowdown"), InlineData("p95Slope"), InlineData("startedOnce")]
    public void Bound_generator_explains_no_other_check(string check) => Assert.Equal(
        VerdictOutcome.Failed,
        Verdicts.Judge(
            Sound with { Checks = [Failed(check)], Generator = ["work waited 28 ms for a thread"] }).Outcome);

    [Theory]
    [InlineData("Smoke"), InlineData(Smoke)]
    public void Time_fails_no_smoke_test_of_a_suite_of_your_own_either(string tier)
    {
        var slow = Cases.First(item => item.Rule == VerdictRule.TimeThreshold).Evidence;

        Assert.Equal(VerdictOutcome.Passed, Verdicts.Judge(slow with { Tier = tier }).Outcome);
        Assert.Equal(VerdictOutcome.Failed, Verdicts.Judge(slow with { Tier = "Latency" }).Outcome);
    }

    [Fact]
    public void Every_line_has_a_case_and_a_sound_run_passes_without_a_word()
    {
        Assert.Equal(Verdicts.Table.Select(line => line.Rule), Enum.GetValues<VerdictRule>());
        Assert.Equal(
            Verdicts.Table.Select(line => line.Rule).Order(), Cases.Select(@case => @case.Rule).Distinct().Order());
        Assert.Equal((VerdictOutcome.Passed, 0), (Verdicts.Judge(Sound).Outcome, Verdicts.Judge(Sound).Reasons.Count));
        Assert.Equal(
            VerdictOutcome.Passed, Verdicts.Judge(Sound with { Events = Counts with { OutOfOrder = 9 } }).Outcome);
        Assert.Empty(Verdicts.Judge(Sound with { WarmUp = Warm }).Reasons);
    }

    [Fact]
    public void Gravest_reason_comes_first()
    {
        var verdict =
            Verdicts.Judge(Stalled(700, StallCause.System) with { StopReason = "5000 failures", Generator = ["late"] });

        Assert.Equal(VerdictOutcome.Failed, verdict.Outcome);
        Assert.Equal("the load ended before its time: 5000 failures", verdict.Reasons[0]);
        Assert.All(
            verdict.Reasons.Skip(1), reason => Assert.StartsWith("also in doubt: ", reason, StringComparison.Ordinal));
        Assert.StartsWith(
            "reported: stall: nothing completed for 700",
            Verdicts.Judge(Stalled(700, StallCause.System) with { Tier = Smoke }).Reasons.Single(),
            StringComparison.Ordinal);
    }

    /// <summary>Over the event stream, all events have arrived once the reader is at the end of every lane.</summary>
    [Theory]
    [InlineData("0:17.1:4", "0:17.1:4", true)]
    [InlineData("0:18.1:4.2:1", "0:17.1:4", true)]
    [InlineData("0:18.1:3", "0:17.1:4", false)]
    [InlineData("0:17", "0:17.1:4", false)]
    [InlineData("", "", true)]
    public void Position_reaches_the_end_of_the_stream_in_every_lane(string read, string end, bool reaches) =>
        Assert.Equal(reaches, EventPosition.Parse(read).Reaches(EventPosition.Parse(end)));

    /// <summary>MSER-5 alone does not see which way: a run that warms up for ever is not one that tires.</summary>
    [Fact]
    public void Noise_and_warm_up_are_not_a_slowdown()
    {
        var random = new Random(7);
        double Noise() => 1 + (0.3 * random.NextDouble());

        var slower = Verdicts.SlowdownOf(Series(at => Noise() * (1 + at)), "latency", TimeSpan.FromMinutes(1));
        Assert.Equal(CheckOutcome.Failed, slower.Outcome);
        Assert.Contains("slower all along", slower.Reason, StringComparison.Ordinal);
        Func<double, double>[] sound =
        [
            _ => Noise(), at => Noise() * (3 - at), at => at is > 0.5 and < 0.52 ? 50 : Noise(),
            at => Noise() * (1 + (0.2 * at)),
        ];
        Assert.All(
            sound, value => Assert.Equal(
                CheckOutcome.Passed, Verdicts.SlowdownOf(Series(value), "latency", TimeSpan.FromMinutes(1)).Outcome));
    }

    /// <summary>Correlated noise of a machine: 15 % with a memory of about 1 s.</summary>
    [Theory]
    [InlineData(5)]
    [InlineData(20)]
    [InlineData(120)]
    public void Lasting_noise_is_not_a_slowdown(int seconds)
    {
        const int Runs = 400;
        var random = new Random(seconds);
        int Slower(double growth) => Enumerable.Range(0, Runs).Count(_ =>
        {
            var (noise, rho) = (0.0, Math.Exp(-(double)seconds / Completions));
            return Verdicts.SlowdownOf(
                Series(at =>
                {
                    noise = (rho * noise) + (Math.Sqrt(1 - (rho * rho)) * 0.15 * Normal.Sample(random, 0, 1));
                    return Math.Exp(noise) * (1 + (growth * at));
                }),
                "latency", TimeSpan.FromSeconds(seconds)).Outcome == CheckOutcome.Failed;
        });

        Assert.InRange(Slower(growth: 0), 0, Runs / 100);
        Assert.InRange(Slower(growth: 2), Runs * 9 / 10, Runs);
    }

    [Fact]
    public void Page_shows_the_table()
    {
        var page = File.ReadAllText(Path.Combine(Repository.Root, "tests", "PerformanceTests", "Verdicts.md"));

        Assert.All(Verdicts.Table,
            line => Assert.Contains($"| {line.What} | {Word(line.Smoke)} | {Word(line.Others)} |", page));

        static string Word(VerdictEffect effect) => effect == VerdictEffect.None ? "–" : $"{effect}".ToLowerInvariant();
    }

    private static CompletionSeries Series(Func<double, double> value)
    {
        var series = new CompletionSeries();
        for (var i = 0; i < Completions; i++)
        {
            series.Add(value((double)i / Completions));
        }

        return series;
    }

    private static void Expect(VerdictEffect effect, VerdictResult verdict)
    {
        Assert.Equal(
            effect switch
            {
                VerdictEffect.Failed => VerdictOutcome.Failed,
                VerdictEffect.Inconclusive => VerdictOutcome.Inconclusive,
                _ => VerdictOutcome.Passed,
            },
            verdict.Outcome);
        Assert.Equal(effect == VerdictEffect.None, verdict.Reasons.Count == 0);
    }

    private static WarmUpLoadResult Warm => new() { Operations = 32, Completed = 32 };

    private static VerdictEvidence WarmedUp(StallCause cause) =>
        Sound with { WarmUp = Warm with { Stalls = [new StallResult(500, 1_500, 16, cause)] } };

    private static VerdictEvidence With(LedgerResult ledger) => Sound with { Ledger = ledger };

    private static VerdictEvidence Stalled(double durationMs, StallCause cause) =>
        Sound with { Stalls = [new StallResult(2_000, durationMs, 8, cause)] };

    private static VerdictEvidence Missed(string metric, ThresholdKind kind, ThresholdOutcome outcome) =>
        Sound with { Thresholds = [new ThresholdResult(metric, "<= 1", 2, 10, outcome, kind)] };

    private static CheckResult Failed(string name) =>
        new(name, CheckSubject.System, CheckOutcome.Failed, 1, 0, "it does not hold");
}
