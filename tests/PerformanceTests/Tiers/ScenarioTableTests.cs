namespace PerformanceTests.Tiers;

/// <summary>
/// Names, tiers, operations, concurrency and signal workers are the comparison with the baseline of 2026-03-17: written
/// down a second time, so that neither changes alone.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class ScenarioTableTests
{
    private static readonly (string Name, string Tier, int Operations, int Concurrency, int? Workers)[] Baseline =
    [
        ("signal-roundtrip-capacity-c1", TierNames.Capacity, 16, 1, null),
        ("signal-roundtrip-capacity-c4", TierNames.Capacity, 64, 4, null),
        ("signal-roundtrip-capacity-c8", TierNames.Capacity, 128, 8, null),
        ("signal-roundtrip-capacity-c16", TierNames.Capacity, 256, 16, null),
        ("signal-roundtrip-latency-serial", TierNames.Latency, 16, 1, 1),
        ("signal-roundtrip-throughput-parallel", TierNames.Throughput, 96, 16, 8),
        ("bulstrad-quote-or-apl-cancel-smoke", TierNames.Smoke, 10, 4, null),
        ("bulstrad-quotation-confirm-convert-to-policy-nightly", TierNames.Nightly, 12, 4, null),
        ("delayed-burst-smoke", TierNames.Smoke, 12, 1, null),
        ("delayed-burst-nightly", TierNames.Nightly, 48, 1, null),
        ("immediate-burst-smoke", TierNames.Smoke, 24, 1, null),
        ("immediate-burst-nightly", TierNames.Nightly, 120, 1, null),
        ("synthetic-external-resume-smoke", TierNames.Smoke, 12, 4, null),
        ("synthetic-external-resume-nightly", TierNames.Nightly, 36, 8, null),
        ("signal-roundtrip-soak", TierNames.Soak, 108, 8, null),
    ];

    [Fact]
    public void Scenarios_are_those_of_the_baseline()
    {
        var made = ScenarioTable.Published.Select(ScenarioTable.Make)
            .Select(s => (s.Name, s.Tier, s.Operations, s.Concurrency, s.SignalWorkers));

        Assert.Equal(Baseline, made);
    }

    [Fact]
    public void Full_size_differs_in_name_and_operations_only()
    {
        Assert.NotEmpty(ScenarioTable.FullSizes);
        Assert.All(ScenarioTable.FullSizes, variant =>
        {
            var scenario = ScenarioTable.Make(variant);
            var (_, tier, operations, concurrency, workers) = Baseline.Single(row => $"{row.Name}-xl" == scenario.Name);
            Assert.Equal((tier, concurrency, workers), (scenario.Tier, scenario.Concurrency, scenario.SignalWorkers));
            Assert.InRange(scenario.Operations, Math.Max(1_000, operations + 1), 100_000);
        });
    }

    [Fact]
    public void Every_load_has_one_full_size()
    {
        var loads =
            ScenarioTable.Published.Select(ScenarioTable.Make).Select(LoadOf).Distinct().Order(StringComparer.Ordinal);

        Assert.Equal(
            loads, ScenarioTable.FullSizes.Select(ScenarioTable.Make).Select(LoadOf).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Dormant_wakeup_is_small_in_smoke_and_full_at_night()
    {
        WorkflowScenario[] sizes =
        [
            new DormantWakeupScenario(DormantWakeupScenario.Small),
            new DormantWakeupScenario(DormantWakeupScenario.FullSize),
        ];

        Assert.Equal(
            [("dormant-wakeup", TierNames.Smoke, 2_000, false), ("dormant-wakeup-xl", TierNames.Nightly, 50_000, true)],
            sizes.Select(scenario => (scenario.Name, scenario.Tier, scenario.Operations, scenario.IsFullSize)));
        Assert.All(sizes, scenario => Assert.Equal(TimeSpan.Zero, scenario.IdleTime));
        Assert.Equal(
            BackendCatalog.KnownProfiles,
            new PerformanceCatalogue().Scenarios.Single(scenario => scenario.Name == "dormant-wakeup-http").Profiles);
    }

    [Fact]
    public void Users_of_a_mix_are_reported_under_one_name()
    {
        var mix = VirtualUserScenario.Of("mixed", 500, TimeSpan.FromSeconds(1));

        Assert.Equal(
            [("mixed-vu500-linear", 200), ("mixed-vu500-parallel", 150), ("mixed-vu500-events", 150)],
            mix.Select(part => (part.Name, part.Concurrency)));
        Assert.All(
            mix, part => Assert.Equal(
                ("mixed-vu500", TierNames.Nightly, true), (part.Group, part.Tier, part.SaturatesByDesign)));
        var small = Assert.Single(VirtualUserScenario.Of("linear", 50, duration: null));
        Assert.Equal(("linear-vu50", TierNames.Smoke, 500, false),
            (small.Name, small.Tier, small.Operations, small.SaturatesByDesign));
        Assert.Throws<ArgumentOutOfRangeException>(() => VirtualUserScenario.Of("linearly", 50, duration: null));
    }

    [Fact]
    public void Virtual_users_ramp_up_except_in_the_small_form()
    {
        var full = VirtualUserScenario.Of("linear", 500, TimeSpan.FromSeconds(15)).Single();

        Assert.Equal((TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(15)), (full.RampUp, full.Duration));
        Assert.Equal(TimeSpan.Zero, VirtualUserScenario.Of("linear", 50, duration: null).Single().RampUp);
    }

    [Fact]
    public void Polling_is_a_scenario_of_its_own_on_the_definition_of_events()
    {
        var polling = Assert.Single(VirtualUserScenario.Of("events-polling", 500, TimeSpan.FromSeconds(15)));

        Assert.Equal("events-polling-vu500", polling.Name);
        Assert.Equal(
            VirtualUserScenario.Of("events", 500, TimeSpan.FromSeconds(15)).Single().Definitions, polling.Definitions);
    }

    [Fact]
    public void Row_that_is_not_there_is_named()
    {
        var error = Assert.Throws<ArgumentException>(
            () => ScenarioTable.Make(new ScenarioVariant("burst-smok", TierNames.Smoke, 1, 1)));

        Assert.Contains("'burst-smok'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Form_without_a_full_size_says_so()
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => DelayedBurstScenario.Smoke.At(ScenarioSize.Xl));

        Assert.Contains("'delayed-burst-smoke' has no full size", error.Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// The steps of the ladder differ in nothing but how many requests they make at a time, which makes each a load of
    /// its own.
    /// </summary>
    private static string LoadOf(WorkflowScenario scenario) =>
        scenario is SignalRoundTripCapacityScenario
            ? $"{nameof(SignalRoundTripCapacityScenario)} {scenario.Concurrency}"
            : scenario.GetType().Name;
}
