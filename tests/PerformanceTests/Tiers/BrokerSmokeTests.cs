namespace PerformanceTests.Tiers;

/// <summary>A round trip of the smoke tier with events that come over RabbitMQ, whatever the variable says.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class BrokerSmokeTests(RunFixture run)
{
    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Synthetic_external_resume_over_RabbitMq(string profile, HostingKind hosting)
    {
        run.SkipUnlessOfHosting();
        return run.MeasureAsync(
            new ExternalResumeScenario(ExternalResumeScenario.Smoke), profile, hosting, EventTransport.RabbitMq);
    }
}
