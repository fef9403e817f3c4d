using IntegrationTests.Shared.Gating;
using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

/// <summary>
/// The error rate and the power of the gate. Few decisions find a gross fault with each change; thousands, which bound
/// the rates, are for the daily run.
/// </summary>
public sealed class GateSimulationTests
{
    /// <summary>Recorded runs of one build against itself; how they were made is written beside them.</summary>
    public static TheoryData<string> Recorded { get; } = [.. Directory.EnumerateFiles(
        Repository.FullPath("fixtures/baselines/gate"), "*.json").Select(Path.GetFileName).OfType<string>()];

    [Theory]
    [MemberData(nameof(Recorded))]
    public async Task Few_decisions_on_recorded_runs_have_few_false_alarms(string file)
    {
        const int Decisions = 200;
        var rates = GateSimulation.Run(
            await RowsAsync(file), [Injection.None, Injection.NoneInRuns], Decisions, seed: 1, GateDesign.Fixed);

        // Two standard deviations above one in two hundred.
        Assert.All(rates.Where(rate => rate.Metric != SimulatedRate.AnyMetric), rate => Assert.InRange(
            rate.Regressed, 0, (0.005 * Decisions) + (2 * Math.Sqrt(0.005 * Decisions))));
    }

    [Theory]
    [MemberData(nameof(Recorded))]
    [Trait("Category", "Daily")]
    public async Task Decisions_on_recorded_runs_keep_the_false_alarm_rate(string file)
    {
        const int Decisions = 10_000;
        var rates = GateSimulation.Run(
            await RowsAsync(file), [Injection.None, Injection.NoneInRuns], Decisions, seed: 1, GateDesign.Fixed);

        // The payment service counts no commits, and the server reports them late.
        var commits = file == "payments.json" ? "writeTransactions" : "commits";
        Assert.All(rates.GroupBy(rate => (rate.Scenario, rate.Injection)), scenario => Assert.Superset(
            new HashSet<string> { "throughput", "p50", "p95", commits, "lost", SimulatedRate.AnyMetric },
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
    public Task Injected_faults_are_found_in_every_decision(string file) =>
        AssertFaultsAreFoundAsync(file, decisions: 20);

    [Theory]
    [MemberData(nameof(Recorded))]
    [Trait("Category", "Daily")]
    public Task Injected_faults_are_found_in_every_one_of_many_decisions(string file) =>
        AssertFaultsAreFoundAsync(file, decisions: 200);

    [Fact]
    public void Delay_on_a_quiet_machine_is_found_by_its_size()
    {
        var rates = GateSimulation.Run([Noisy(0.02)], 100, seed: 1);

        double Found(string injection) =>
            rates.Single(rate => rate.Injection == injection && rate.Metric == "throughput").Rate;
        Assert.True(Found("+10 % delay") > 0.95);
        Assert.Equal(1, Found("+20 % delay"));
        Assert.Equal(0, Found("none"));
    }

    [Theory]
    [InlineData(0.12, 40)] // The recorded noise of throughput on memory.
    [InlineData(0.19, 80)] // And on PostgreSQL, whose disk scatters more.
    [Trait("Category", "Daily")]
    public void Tenth_of_delay_is_found_in_four_of_five_sequential_decisions(double deviation, int mostPairs)
    {
        var rates =
            GateSimulation.Run([Noisy(deviation)], [Injection.All[0]], 400, seed: 1, GateDesign.Sequential(mostPairs));

        var any = rates.Single(rate => rate.Metric == SimulatedRate.AnyMetric);
        Assert.True(any.Rate >= 0.8, $"{any.Rate:0 %}");
        Assert.InRange(any.MeanPairs, 10, mostPairs);
    }

    [Theory]
    [InlineData("windows.json", "postgres", 20)]
    [InlineData("windows-serial.json", "postgres", 20)]
    [InlineData("throughput.json", "memory", 40)]
    [InlineData("throughput.json", "postgres", 80)]
    [Trait("Category", "Daily")]
    public Task Sequential_decisions_find_a_tenth_of_delay(string file, string profile, int mostPairs) =>
        AssertDelayIsFoundAsync(file, profile, mostPairs, trials: 1000);

    [Theory]
    [InlineData("windows.json", "postgres", 20)]
    [InlineData("throughput.json", "memory", 40)]
    public Task Few_sequential_decisions_find_a_tenth_of_delay(string file, string profile, int mostPairs) =>
        AssertDelayIsFoundAsync(file, profile, mostPairs, trials: 50);

    [Theory]
    [MemberData(nameof(Recorded))]
    public Task Sequential_decisions_find_a_twentieth_of_cost(string file) =>
        AssertCostIsFoundAsync(file, decisions: 20);

    [Theory]
    [MemberData(nameof(Recorded))]
    [Trait("Category", "Daily")]
    public Task Many_sequential_decisions_find_a_twentieth_of_cost(string file) =>
        AssertCostIsFoundAsync(file, decisions: 300);

    /// <summary>Every payment was found to be late by a rate that arrivals, and not payments, decide.</summary>
    [Fact]
    public async Task Delay_does_not_change_the_rate_of_arrivals()
    {
        static GateSide AtRate(GateSide? side) => side! with { ThroughputPerSecond = 100 };
        var rows = (await RowsAsync("payments.json")).Select(row => row with
        {
            Pairs = [
                .. row.Pairs
                    .Select(pair => pair with { Base = AtRate(pair.Base), Candidate = AtRate(pair.Candidate) })],
        }).ToList();

        var rates = GateSimulation.Run(rows, [Injection.All[2]], 50, seed: 1, GateDesign.Sequential(40));

        Assert.Equal(0, rates.Single(rate => rate.Metric == "throughput").Regressed);
        Assert.InRange(rates.Single(rate => rate.Metric == "p50").Rate, 0.5, 1);
    }

    [Fact]
    [Trait("Category", "Daily")]
    public void Twentieth_of_cost_is_found_within_thirty_pairs()
    {
        var rates = GateSimulation.Run(
            [Noisy(0.4, costs: 0.03)], [Injection.None, Injection.All[3]], 400, seed: 1, GateDesign.Sequential(30));

        Assert.True(rates.Single(rate => rate is { Injection: "+5 % cost", Metric: "allocated" }).Rate >= 0.95);
        Assert.InRange(rates.Single(rate => rate is { Injection: "none", Metric: "allocated" }).Rate, 0, 0.005);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.2)]
    [InlineData(0.4)]
    [InlineData(1.0)]
    [Trait("Category", "Daily")]
    public void Noise_costs_power_and_not_false_alarms(double deviation)
    {
        var rates =
            GateSimulation.Run([Noisy(deviation)], [Injection.None, Injection.All[0]], 4000, seed: 1, GateDesign.Fixed);

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
            new GateRow { Scenario = Sides.FullSize, Verdict = GateVerdict.Inconclusive,
                Pairs = Sides.Slower(0, 0, 0, 0, 0, 0, 0) },
        ], 1, 1)).Message);

    private static async Task AssertFaultsAreFoundAsync(string file, int decisions)
    {
        var counted = Injection.All.Where(injection => !injection.Name.EndsWith("delay", StringComparison.Ordinal)
            && !injection.Name.EndsWith("cost", StringComparison.Ordinal)).ToList();

        var rates = GateSimulation.Run(await RowsAsync(file), counted, decisions, seed: 1, GateDesign.Sequential(60));
        var ofTen = GateSimulation.Run(await RowsAsync(file), counted, decisions, seed: 1, GateDesign.Fixed);

        Assert.Contains(rates, rate => rate.Injection == "one lost event");
        Assert.All(
            rates.Where(rate => rate.Metric == SimulatedRate.AnyMetric),
            rate => Assert.Equal(decisions, rate.Regressed));
        Assert.All(ofTen.Where(rate => rate.Metric == SimulatedRate.AnyMetric),
            rate => Assert.InRange(rate.Regressed, 0.85 * decisions, decisions));
    }

    private static async Task AssertCostIsFoundAsync(string file, int decisions)
    {
        var rates = GateSimulation.Run(
            await RowsAsync(file), [Injection.All[3]], decisions, seed: 1, GateDesign.Sequential(30));

        Assert.All(
            rates.Where(rate => rate.Metric == SimulatedRate.AnyMetric), rate => Assert.InRange(rate.Rate, 0.95, 1));
    }

    private static async Task AssertDelayIsFoundAsync(string file, string profile, int mostPairs, int trials)
    {
        var recorded = (await RowsAsync(file)).Where(row => row.Scenario.StartsWith(profile, StringComparison.Ordinal));

        var rates = GateSimulation.Run(
            [.. recorded], [Injection.None, Injection.NoneInRuns, Injection.All[0]], trials, seed: 1,
            GateDesign.Sequential(mostPairs));

        // Two standard deviations of the trials: a rate of four in five may lie on either side of its bound.
        var found = rates.Single(rate => rate is { Injection: "+10 % delay", Metric: SimulatedRate.AnyMetric }).Rate;
        Assert.True(found >= 0.8 - (2 * Math.Sqrt(0.8 * 0.2 / trials)), $"{found:0.0 %}");
        Assert.All(rates.Where(rate => rate is { IsOfOneBuild: true, Metric: not SimulatedRate.AnyMetric }), rate =>
            Assert.InRange(rate.Rate, 0, 0.005 + (2 * Math.Sqrt(0.005 / trials))));
    }

    private static GateRow Noisy(double deviation, double costs = 0)
    {
        var random = new Random(5);
        double Share(double of) => Math.Exp(of * MathNet.Numerics.Distributions.Normal.Sample(random, 0, 1)) - 1;
        var pairs = Sides.Of(30, _ => Sides.Side(Share(deviation), costlier: Share(costs)));
        return new GateRow { Scenario = Sides.FullSize, Verdict = GateVerdict.NotRegressed, Pairs = pairs };
    }

    private static async Task<IReadOnlyList<GateRow>> RowsAsync(string file) =>
        (await GateJson.ReadFileAsync(Repository.FullPath("fixtures/baselines/gate/" + file), Cancel)).Scenarios;
}
