using Xunit.v3;

namespace PerformanceTests.Tiers;

/// <summary>A round trip of the smoke tier with events that come over RabbitMQ, whatever the variable says.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class BrokerSmokeTests(RunFixture run) : TierTests(run)
{
    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Synthetic_external_resume_over_RabbitMq(string profile, HostingKind hosting) =>
        RunAsync(new ExternalResumeScenario(ExternalResumeScenario.Smoke), profile, hosting);

    private Task RunAsync(WorkflowScenario scenario, string profile, HostingKind hosting)
    {
        Assert.SkipWhen(Variables.Transport == EventTransport.RabbitMq,
            $"{MeasurementVariables.TransportName}=rabbitmq: the tier's own tests run over it.");
        return RunAsync(scenario, profile, hosting, EventTransport.RabbitMq);
    }
}

/// <summary>
/// What needs a broker comes first: it takes three times as long to start as a database, and beside one it costs no time of its own.
/// </summary>
public sealed class SlowestServerFirst : ITestCollectionOrderer
{
    public IReadOnlyCollection<TTestCollection> OrderTestCollections<TTestCollection>(IReadOnlyCollection<TTestCollection> testCollections)
        where TTestCollection : ITestCollection =>
        [
            .. testCollections.OrderByDescending(
                tests => tests.TestCollectionDisplayName.Contains(nameof(BrokerSmokeTests), StringComparison.Ordinal)),
        ];
}
