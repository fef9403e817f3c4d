using IntegrationTests.Shared.Backends;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Payments;

/// <summary>Every pull request: are all payments accounted for, and is every step there? Latency never fails these tests.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class PaymentSmokeTests(BackendFixture backends, RunFixture run) : PaymentTests(backends, run)
{
    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_journey(string profile) => RunAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_journey_over_RabbitMq(string profile)
    {
        SkipUnlessOfHosting();
        return RunAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile, EventTransport.RabbitMq);
    }

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_api(string profile) => RunAsync(new PaymentApiScenario(PaymentApiScenario.Smoke), profile);

    [Theory]
    [MemberData(nameof(Profiles))]
    public Task Payment_rejection(string profile) => RunAsync(new PaymentRejectionScenario(PaymentRejectionScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_polling(string profile) => RunAsync(new PaymentPollingScenario(PaymentPollingScenario.Smoke), profile);
}
