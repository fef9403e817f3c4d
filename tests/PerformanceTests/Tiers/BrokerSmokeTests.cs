using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Baselines;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>The smoke tier's round trips with events that come over RabbitMQ, whatever the variable says.</summary>
[Trait(TierNames.Trait, TierNames.Smoke)]
public sealed class BrokerSmokeTests(BackendFixture backends, RunFixture run) : TierTests(backends, run)
{
    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Immediate_burst_over_RabbitMq(string profile, HostingKind hosting) => RunAsync(new ImmediateBurstScenario(ImmediateBurstScenario.Smoke), profile, hosting);

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public Task Synthetic_external_resume_over_RabbitMq(string profile, HostingKind hosting) =>
        RunAsync(new ExternalResumeScenario(ExternalResumeScenario.Smoke), profile, hosting);

    private Task RunAsync(WorkflowScenario scenario, string profile, HostingKind hosting)
    {
        Assert.SkipWhen(Variables.Transport == EventTransport.RabbitMq, $"{PerformanceVariables.TransportName}=rabbitmq: the tier's own tests run over it.");
        return RunAsync(scenario, profile, hosting, EventTransport.RabbitMq);
    }
}
