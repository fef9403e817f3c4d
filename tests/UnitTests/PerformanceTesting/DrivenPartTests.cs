using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

public sealed class DrivenPartTests
{
    private const int WarmUps = 41;

    public static TheoryData<string> Loads { get; } = [.. All.Keys];

    private static Dictionary<string, LoadSimulation[]> All => new()
    {
        ["closed"] = [Simulation.IterationsForConstant(10, 403)],
        ["open"] = [Simulation.Inject(97, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(1)),
            Simulation.IterationsForInject(50, TimeSpan.FromSeconds(0.25), 51)],
    };

    [Theory]
    [MemberData(nameof(Loads))]
    public async Task Four_parts_have_exactly_the_counts_of_one_process(string load)
    {
        var (alone, shared) = (new ConcurrentBag<string>(), new ConcurrentBag<string>());
        var one = await MeasureAsync(load, alone, part: null);

        var parts =
            await Task.WhenAll(Enumerable.Range(1, 4).Select(index => MeasureAsync(load, shared, new(index, 4))));

        Assert.Equal((alone.Count, shared.Count), (shared.Distinct().Count(), alone.Count));
        Assert.Equal(WarmUps + one.Operations, shared.Count);
        Assert.All(parts, part => Assert.Equal(VerdictOutcome.Inconclusive, part.Verdict.Outcome));
        Assert.Equal([one.LoadModel], parts.Select(part => part.LoadModel).Distinct());
        var whole = Merge(parts, shared.Count);
        Assert.Equal(one.Ledger, whole.Ledger);
        Assert.Equal((one.Operations, one.Latency.N), (whole.Operations, whole.Latency.N));
        Assert.Equal(one.Operations, whole.Timeline!.Points.Sum(point => point.Completed));
        Assert.Equal(CheckOutcome.Passed, whole.Validity!.Checks.Single(check => check.Name == "startedOnce").Outcome);
    }

    [Fact]
    public async Task Part_prepared_after_the_agreed_start_is_refused()
    {
        var late = Part(new(2, 4), StartIn(TimeSpan.FromSeconds(-5)));

        AssertHolds(
            (await Assert.ThrowsAsync<ArgumentException>(() => late.StartAsync(Cancel))).Message,
            "Part 2/4 was prepared 5.", "s too late", "with a later instant");
    }

    [Fact]
    public async Task Part_begins_at_the_agreed_instant_of_the_services_clock()
    {
        var due = StartIn(TimeSpan.FromSeconds(2));

        var result = await MeasureAsync("closed", [], new(1, 4), due);

        Assert.InRange(result.Part!.StartedUtc - due, TimeSpan.FromMilliseconds(-20), TimeSpan.FromMinutes(1));
    }

    /// <summary>By a clock that is an hour ahead.</summary>
    private static DateTimeOffset StartIn(TimeSpan time) => TimeProvider.System.GetUtcNow().AddHours(1) + time;

    /// <summary>Such a short load may end in one part before another begins, which is not the subject here.</summary>
    private static ScenarioResult AtOneTime(ScenarioResult part) => part with
    {
        Part = part.Part!
            with { StartedUtc = DateTimeOffset.UnixEpoch, EndedUtc = DateTimeOffset.UnixEpoch.AddHours(1) },
    };

    private static ScenarioResult Merge(IReadOnlyList<ScenarioResult> parts, double counted) =>
        Assert.Single(PartMerge.Of(
        [
            .. parts.Select((part, place) => new ComparisonSource(
                $"{place}", LoadTesting.Samples.Runs.Of(AtOneTime(part)) with { RunId = $"{place}" })),
        ],
        new Dictionary<string, IReadOnlyDictionary<string, double>>
        {
            ["http://s/"] =
                new Dictionary<string, double> { [MetricsPage.ProcessStart] = 7, ["started_total"] = 100 + counted },
        }).Scenarios);

    private static async Task<ScenarioResult> MeasureAsync(
        string load, ConcurrentBag<string> keys, LoadPart? part, DateTimeOffset? startAt = null)
    {
        var driven = part is null ? null : Part(part, startAt);
        var run = await MeasurementPipeline.RunAsync(
            _ => Task.FromResult(new Arrangement(
                new SoakTests.IdleSystem(), [new CountedScenario(All[load]) { Begun = keys.Add }],
                driven is null ? [] : [driven])),
            Cancel);
        return run.Total;
    }

    private static DrivenPart Part(LoadPart part, DateTimeOffset? startAt) => new(part)
    {
        Build = "b",
        Services = new Dictionary<string, double> { ["http://s/"] = 7 },
        Before = [new(PartCount.Started, "started_total", Less: null, Before: 100, 0, 0)],
        StartAt = startAt,
        ReadClockAsync = _ => Task.FromResult(new ServiceClock(TimeSpan.FromHours(1), TimeSpan.FromMilliseconds(1))),
    };
    private sealed class CountedScenario(IReadOnlyList<LoadSimulation> load) : SoakTests.SteadyScenario(TimeSpan.Zero)
    {
        public override int LoadOperations =>
            load is [IterationsForConstantSimulation closed] ? (int)closed.Iterations : 0;

        public override IReadOnlyList<LoadSimulation> Load => load;

        public override IReadOnlyList<LoadSimulation> WarmUp => [Simulation.IterationsForConstant(8, WarmUps)];
    }
}
