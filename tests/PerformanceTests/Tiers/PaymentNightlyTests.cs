namespace PerformanceTests.Tiers;

/// <summary>Every night: the published rates and durations, and every scenario at its full size.</summary>
[Trait(TierNames.Trait, TierNames.Nightly)]
public sealed class PaymentNightlyTests(RunFixture run)
{
    private static readonly PaymentScenario[] FullSized =
    [
        new PaymentJourneyScenario(PaymentJourneyScenario.FullSize),
        new PaymentJourneyScenario(PaymentJourneyScenario.Parallel),
        new PaymentJourneyScenario(PaymentJourneyScenario.SlowFullSize) { SettledDelay = (TimeSpan.FromSeconds(0.5),
            TimeSpan.FromSeconds(0.9)) },
        new PaymentApiScenario(PaymentApiScenario.FullSize),
        new PaymentRejectionScenario(PaymentRejectionScenario.FullSize),
        new PaymentPollingScenario(PaymentPollingScenario.FullSize),
    ];

    /// <summary>Every full size on every profile.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from scenario in FullSized from profile in new[] { "memory", "postgres" }
            select (scenario.Variant.Name, profile)];

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_journey(string profile) =>
        RunPublishedAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_api(string profile) =>
        RunPublishedAsync(new PaymentApiScenario(PaymentApiScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_rejection(string profile) =>
        RunPublishedAsync(new PaymentRejectionScenario(PaymentRejectionScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_polling(string profile) =>
        RunPublishedAsync(new PaymentPollingScenario(PaymentPollingScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(FullSizes))]
    public Task Full_size(string scenario, string profile) =>
        run.MeasureAsync(FullSized.Single(s => s.Variant.Name == scenario), profile);

    private Task RunPublishedAsync(PaymentScenario scenario, string profile)
    {
        run.SkipUnlessPublishedSize();
        return run.MeasureAsync(scenario, profile);
    }
}
