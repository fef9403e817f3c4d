using LoadTesting.Core.Analysis.Findings;

namespace UnitTests.LoadTesting.Analysis.Findings;

public sealed class SizingNoteTests
{
    private static readonly FindingInputs Inputs = new()
    {
        Completed = 1000, DurationSeconds = 10, ResponseSeconds = 0.08, Cores = 2, Service = new ProcessUsage(4, 0, 1),
        GeneratorEvidence = [],
    };

    [Fact]
    public void Scenario_that_carried_most_gives_the_note_of_its_profile()
    {
        var run = Run(
            Scenario("slow", 50, Inputs with { GcPauseShare = 0.5 }),
            Scenario("fast", 100, Inputs with { Waits = [new("IO:WALSync", ResourceNames.WalFlush, 4, 0.5)], WaitSamples = 50 }));

        var note = Assert.Single(SizingNote.Of(run));

        Assert.Equal(
            "postgres: at 100.0 operations/s (fast) WAL flush comes first, with 50.0 % of 80.00 ms; next would be service CPU, at 500.0/s. "
            + "Change first: Let more operations share a commit, or put the log on a disk that forces writes faster.", note);
    }

    [Fact]
    public void Where_nothing_is_guilty_the_note_says_what_would_be_full_first() =>
        Assert.Equal(
            "postgres: at 100.0 operations/s (fast) no examined resource takes a considerable share of the response time; the first to be "
            + "full would be service CPU, at 500.0/s.", Assert.Single(SizingNote.Of(Run(Scenario("fast", 100, Inputs)))));

    [Theory]
    [InlineData(8.0, null, "postgres: comfortable up to 8 requests at a time; at 100.0 operations/s")]
    [InlineData(8.0, 340.5, "postgres: comfortable up to 340.5/s; at 100.0 operations/s")]
    [InlineData(null, null, "postgres: at 100.0 operations/s")]
    public void What_was_comfortable_is_reported_of_the_open_load_or_of_the_load_steps(double? closed, double? open, string expected)
    {
        var run = Run(Scenario("fast", 100, Inputs)) with { Capacity = [Capacity("memory", 1, 1), Capacity("postgres", closed, open)] };

        Assert.StartsWith(expected, Assert.Single(SizingNote.Of(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void Runs_that_failed_or_that_the_generator_limited_give_none()
    {
        var failed = Scenario("failed", 100, Inputs) with { Verdict = new(VerdictOutcome.Failed, ["wrong"]) };
        var bound = Scenario("bound", 100, Inputs with { GeneratorEvidence = ["late"] });

        Assert.Empty(SizingNote.Of(Run(failed, bound, Scenario("unexamined", 100, Inputs with { Completed = 0 }))));
    }

    private static CapacityResult Capacity(string profile, double? closed, double? open) => new()
    {
        Name = $"{profile}-ladder", Profile = profile, Hosting = HostingKind.InProcess, Outcome = CapacityOutcome.LadderOnly, Sentence = "",
        Closed = new LadderResult { Criteria = [], Steps = [], LastComfortable = closed },
        Open = new LadderResult { Criteria = [], Steps = [], LastComfortable = open },
    };

    private static RunResult Run(params ScenarioResult[] scenarios) => SampleRun.Create() with { Scenarios = scenarios, Capacity = [] };

    private static ScenarioResult Scenario(string name, double perSecond, FindingInputs inputs) =>
        SampleRun.Scenario("postgres", name, 1000, 8, 80, perSecond) with { Findings = FindingRules.Judge(inputs) };
}
