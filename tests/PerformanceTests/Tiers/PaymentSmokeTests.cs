namespace PerformanceTests.Tiers;

/// <summary>Every pull request: are all payments accounted for, and is every step there? Latency never fails these tests.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class PaymentSmokeTests(RunFixture run) : TierTests(run)
{
    [Theory]
    [MemberData(nameof(PaymentProfiles))]
    public Task Payment_journey(string profile) => RunAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_journey_over_RabbitMq(string profile)
    {
        SkipUnlessOfHosting();
        return RunAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile, EventTransport.RabbitMq);
    }

    [Theory]
    [MemberData(nameof(PaymentProfiles))]
    public Task Payment_api(string profile) => RunAsync(new PaymentApiScenario(PaymentApiScenario.Smoke), profile);

    [Theory]
    [MemberData(nameof(PaymentProfiles))]
    public Task Payment_rejection(string profile) => RunAsync(new PaymentRejectionScenario(PaymentRejectionScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_polling(string profile) => RunAsync(new PaymentPollingScenario(PaymentPollingScenario.Smoke), profile);
}
