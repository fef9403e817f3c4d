namespace PerformanceTests.Tiers;

/// <summary>
/// Every pull request: are all payments accounted for, and is every step there? Latency never fails these tests.
/// </summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class PaymentSmokeTests(RunFixture run)
{
    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_journey(string profile) =>
        run.MeasureAsync(new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_journey_over_RabbitMq(string profile)
    {
        run.SkipUnlessOfHosting();
        return run.MeasureAsync(
            new PaymentJourneyScenario(PaymentJourneyScenario.Smoke), profile, EventTransport.RabbitMq);
    }

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_api(string profile) =>
        run.MeasureAsync(new PaymentApiScenario(PaymentApiScenario.Smoke), profile);

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    public Task Payment_rejection(string profile) =>
        run.MeasureAsync(new PaymentRejectionScenario(PaymentRejectionScenario.Smoke), profile);

    [Theory]
    [InlineData("memory")]
    public Task Payment_polling(string profile) =>
        run.MeasureAsync(new PaymentPollingScenario(PaymentPollingScenario.Smoke), profile);
}
