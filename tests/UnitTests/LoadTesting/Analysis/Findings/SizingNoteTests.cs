using LoadTesting.Core.Analysis.Findings;

namespace UnitTests.LoadTesting.Analysis.Findings;

public sealed class SizingNoteTests
{
    private static FindingInputs Inputs => new()
    {
        Completed = 1000, DurationSeconds = 10, ResponseSeconds = 0.08, Cores = 2, Spans = Seconds(Second),
        GeneratorEvidence = [],
    };

    private static FindingSpan Second =>
        new() { Seconds = 1, Service = new ProcessUsage(0.4, 0, 1), MachineCpuSeconds = 0.4 };

    private static FindingInputs Flushing => Inputs with
    {
        Spans = Seconds(Second with
        {
            Looks = 10, Waits = new Dictionary<string, WaitSum> { ["IO:WALSync"] = new(ResourceNames.WalFlush, 40, 5) },
        }),
    };

    [Fact]
    public void Scenario_that_carried_most_gives_the_note_of_its_profile()
    {
        var run = Run(
            Scenario("slow", 50, Inputs),
            Scenario("fast", 100, Flushing));

        var note = Assert.Single(SizingNote.Of(run));

        Assert.Equal(
            "postgres: at 100.0 operations/s (fast) WAL flush comes first, with 50.0 % of 80.00 ms; "
                + "next would be service CPU, at 500.0/s. "
            + "Change first: Let more operations share a commit, or put the log on a disk that forces writes faster.",
            note);
    }

    [Fact]
    public void Note_names_the_first_limit_where_nothing_is_full() =>
        Assert.Equal(
            "postgres: at 100.0 operations/s (fast) no examined resource takes a considerable share of the response "
                + "time; the first to be full would be service CPU, at 500.0/s.",
            Assert.Single(SizingNote.Of(Run(Scenario("fast", 100, Inputs)))));

    [Theory]
    [InlineData(8.0, null, "postgres: comfortable up to 8 requests at a time; at 100.0 operations/s")]
    [InlineData(8.0, 340.5, "postgres: comfortable up to 340.5/s; at 100.0 operations/s")]
    [InlineData(null, null, "postgres: at 100.0 operations/s")]
    public void Comfortable_load_is_reported(double? closed, double? open, string expected)
    {
        var run = Run(Scenario("fast", 100, Inputs))
            with { Capacity = [Capacity("memory", 1, 1), Capacity("postgres", closed, open)] };

        Assert.StartsWith(expected, Assert.Single(SizingNote.Of(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void Failed_or_generator_bound_runs_give_no_note()
    {
        var failed = Scenario("failed", 100, Inputs) with { Verdict = new(VerdictOutcome.Failed, ["wrong"]) };
        var bound = Scenario("bound", 100, Inputs with { ScheduleLagSeconds = 0.07 });

        Assert.Empty(SizingNote.Of(Run(failed, bound, Scenario("unexamined", 100, Inputs with { Completed = 0 }))));
    }

    private static IReadOnlyList<FindingSpan> Seconds(FindingSpan second) => [.. Enumerable.Repeat(second, 10)];

    private static CapacityResult Capacity(string profile, double? closed, double? open) => new()
    {
        Name = $"{profile}-ladder", Profile = profile, Hosting = HostingKind.InProcess,
        Outcome = CapacityOutcome.LadderOnly, Sentence = "",
        Closed = new LadderResult { Criteria = [], Steps = [], LastComfortable = closed },
        Open = new LadderResult { Criteria = [], Steps = [], LastComfortable = open },
    };

    private static RunResult Run(params ScenarioResult[] scenarios) =>
        SampleRun.Create() with { Scenarios = scenarios, Capacity = [] };

    private static ScenarioResult Scenario(string name, double perSecond, FindingInputs inputs) =>
        SampleRun.Scenario("postgres", name, 1000, 8, 80, perSecond) with { Findings = FindingRules.Judge(inputs) };
}
