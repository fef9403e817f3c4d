using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Payments;

/// <summary>Every night: the seed's rates and durations, and every scenario at its full size.</summary>
[Trait(TierNames.Trait, TierNames.Nightly)]
public sealed class PaymentNightlyTests(BackendFixture backends, RunFixture run) : PaymentTests(backends, run)
{
    private static readonly PaymentScenario[] FullSized =
    [
        new PaymentJourneyScenario(PaymentJourneyScenario.FullSize),
        new PaymentJourneyScenario(PaymentJourneyScenario.SlowFullSize) { SettledDelay = (TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.9)) },
        new PaymentApiScenario(PaymentApiScenario.FullSize),
        new PaymentRejectionScenario(PaymentRejectionScenario.FullSize),
        new PaymentPollingScenario(PaymentPollingScenario.FullSize),
    ];

    /// <summary>Every full size on every profile.</summary>
    public static TheoryData<string, string> FullSizes { get; } =
        [.. from scenario in FullSized from profile in new[] { "memory", "postgres" } select (scenario.Form.Name, profile)];

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_journey(string profile) => RunSeedAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_api(string profile) => RunSeedAsync(new PaymentApiScenario(PaymentApiScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_rejection(string profile) => RunSeedAsync(new PaymentRejectionScenario(PaymentRejectionScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_polling(string profile) => RunSeedAsync(new PaymentPollingScenario(PaymentPollingScenario.Nightly), profile);

    [Theory]
    [MemberData(nameof(FullSizes))]
    public Task Full_size(string scenario, string profile) => RunAsync(FullSized.Single(s => s.Form.Name == scenario), profile);

    private Task RunSeedAsync(PaymentScenario scenario, string profile)
    {
        SkipUnlessSeedSize();
        return RunAsync(scenario, profile);
    }
}
