namespace PerformanceTests.Tiers;

/// <summary>Every pull request: correctness, counts and phases. Latency never fails these tests.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class SmokeTests(RunFixture run)
{
    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("oracle-aq", HostingKind.InProcess)]
    [InlineData("mongo", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Immediate_burst(string profile, HostingKind hosting) =>
        run.MeasureAsync(new ImmediateBurstScenario(ImmediateBurstScenario.Smoke), profile, hosting);

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("oracle-aq", HostingKind.InProcess)]
    [InlineData("mongo", HostingKind.InProcess)]
    public Task Delayed_burst(string profile, HostingKind hosting) =>
        run.MeasureAsync(new DelayedBurstScenario(DelayedBurstScenario.Smoke), profile, hosting);

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("oracle-aq", HostingKind.InProcess)]
    [InlineData("mongo", HostingKind.InProcess)]
    [InlineData("postgres-redis", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    [InlineData("postgres-redis", HostingKind.Http)]
    public Task Synthetic_external_resume(string profile, HostingKind hosting) =>
        run.MeasureAsync(new ExternalResumeScenario(ExternalResumeScenario.Smoke), profile, hosting);

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("oracle-aq", HostingKind.InProcess)]
    [InlineData("mongo", HostingKind.InProcess)]
    public Task Bulstrad_quote_or_application_cancel(string profile, HostingKind hosting) =>
        run.MeasureAsync(
            new QuoteOrApplicationCancelScenario(QuoteOrApplicationCancelScenario.Smoke), profile, hosting);

    [Theory]
    [InlineData("memory")]
    [InlineData("postgres")]
    [InlineData("oracle-aq")]
    [InlineData("mongo")]
    public Task Dormant_wakeup(string profile) =>
        run.MeasureAsync(new DormantWakeupScenario(DormantWakeupScenario.Small), profile);

    [Theory]
    [InlineData("linear", "memory")]
    [InlineData("events", "postgres")]
    [InlineData("events-polling", "memory")]
    [InlineData("mixed", "memory")]
    [InlineData("mixed", "postgres")]
    public Task Virtual_users(string kind, string profile) =>
        run.MeasureAsync(VirtualUserScenario.Of(kind, 50, duration: null), profile, HostingKind.Http);
}
