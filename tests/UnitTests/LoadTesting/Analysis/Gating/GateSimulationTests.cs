using LoadTesting.Core.Analysis.Gating;
using UnitTests.HouseStyle;

namespace UnitTests.LoadTesting.Analysis.Gating;

/// <summary>The gate's own test: how often it is wrong, and what it finds.</summary>
[Trait("Category", "Extended")]
public sealed class GateSimulationTests
{
    private const int Decisions = 10_000;

    /// <summary>Recorded runs of one build against itself; how they were made is written beside them.</summary>
    public static TheoryData<string> Recorded { get; } = [.. Directory.EnumerateFiles(
        Repository.FullPath("fixtures/baselines/gate"), "*.json").Select(Path.GetFileName).OfType<string>()];

    [Theory]
    [MemberData(nameof(Recorded))]
    public async Task Ten_thousand_decisions_between_recorded_runs_of_one_build_keep_the_false_alarm_rate_of_every_metric(string file)
    {
        var rates = GateSimulation.Run(await RowsAsync(file), [Injection.None], Decisions, seed: 1, PairGate.DefaultPairs);

        Assert.All(rates.GroupBy(rate => rate.Scenario), scenario => Assert.Superset(
            new HashSet<string> { "throughput", "p50", "p95", "p99", "commits", "lost", SimulatedRate.AnyMetric },
            scenario.Select(rate => rate.Metric).ToHashSet()));
        Assert.All(rates.Where(rate => rate.Metric != SimulatedRate.AnyMetric), rate =>
        {
            Assert.Equal(Decisions, rate.Decisions);
            Assert.True(rate.Rate <= 0.005 && rate.Upper95 <= 0.007,
                $"{rate.Scenario}, {rate.Metric}: {rate.Regressed} of {rate.Decisions}, at most {rate.Upper95:0.00 %}");
        });
    }

    [Theory]
    [MemberData(nameof(Recorded))]
    public async Task Injected_commit_query_and_lost_event_are_found_in_every_decision(string file)
    {
        var counted = Injection.All.Where(injection => !injection.Name.Contains("delay", StringComparison.Ordinal)).ToList();

        var rates = GateSimulation.Run(await RowsAsync(file), counted, 200, seed: 1, PairGate.DefaultPairs);

        Assert.Contains(rates, rate => rate.Injection == "one lost event");
        Assert.All(rates.Where(rate => rate.Metric == SimulatedRate.AnyMetric), rate => Assert.Equal(200, rate.Regressed));
    }

    [Fact]
    public void Delay_on_a_quiet_machine_is_found_by_its_size()
    {
        var rates = GateSimulation.Run([Noisy(0.02)], 500, seed: 1);

        double Found(string injection) => rates.Single(rate => rate.Injection == injection && rate.Metric == "throughput").Rate;
        Assert.True(Found("+10 % delay") > 0.95);
        Assert.Equal(1, Found("+20 % delay"));
        Assert.Equal(0, Found("none"));
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.2)]
    [InlineData(0.4)]
    [InlineData(1.0)]
    public void Noise_costs_power_and_not_false_alarms(double deviation)
    {
        var rates = GateSimulation.Run([Noisy(deviation)], [Injection.None, Injection.All[0]], 4000, seed: 1, PairGate.DefaultPairs);

        Assert.All(rates.Where(rate => rate is { Injection: "none", Metric: not SimulatedRate.AnyMetric }), rate =>
            Assert.InRange(rate.Rate, 0, 0.005));
        Assert.True(rates.Single(rate => rate is { Injection: "+10 % delay", Metric: "throughput" }).Rate < 0.5);
    }

    [Fact]
    public void Gate_without_a_margin_would_be_seen_by_its_false_alarms() =>
        Assert.True(new SimulatedRate("s", "none", "p50", 10_000, 98, 0).IsTooMany);

    [Fact]
    public void Same_seed_gives_the_same_rates() =>
        Assert.Equal(GateSimulation.Run([Noisy(0.1)], 100, seed: 3), GateSimulation.Run([Noisy(0.1)], 100, seed: 3));

    [Fact]
    public void Fewer_recorded_pairs_than_a_decision_needs_are_refused() => Assert.Contains(
        "7 recorded pairs are valid", Assert.Throws<FormatException>(() => GateSimulation.Run(
        [
            new GateRow { Scenario = Sides.FullSize, Verdict = GateVerdict.Inconclusive, Pairs = Sides.Slower(0, 0, 0, 0, 0, 0, 0) },
        ], 1, 1)).Message);

    private static GateRow Noisy(double deviation)
    {
        var random = new Random(5);
        var pairs = Sides.Slower(
            [.. Enumerable.Range(0, 30).Select(_ => Math.Exp(deviation * MathNet.Numerics.Distributions.Normal.Sample(random, 0, 1)) - 1)]);
        return new GateRow { Scenario = Sides.FullSize, Verdict = GateVerdict.NotRegressed, Pairs = pairs };
    }

    private static async Task<IReadOnlyList<GateRow>> RowsAsync(string file) =>
        (await GateJson.ReadFileAsync(Repository.FullPath("fixtures/baselines/gate/" + file), Cancel)).Scenarios;
}
