using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Payments;

/// <summary>What the tests of the payment scenarios share.</summary>
public abstract class PaymentTests(BackendFixture backends, RunFixture run)
{
    /// <summary>The profiles that the service has a store for.</summary>
    public static TheoryData<string> Profiles { get; } = ["memory", "postgres"];

    /// <summary>Where the measurements come from.</summary>
    protected BackendCatalog Catalog => backends.Catalog;

    /// <summary>With <c>WORKFLOW_PERF_SIZE=xl</c> only full sizes run.</summary>
    protected void SkipUnlessSeedSize() => Assert.SkipWhen(
        run.Variables.Size == ScenarioSize.Xl, $"{PerformanceVariables.SizeName}=xl: the full size of this scenario runs instead.");

    /// <summary>What runs over a broker anyway need not do so twice.</summary>
    protected void SkipUnlessOfHosting() => Assert.SkipWhen(
        run.Variables.Transport == EventTransport.RabbitMq, $"{PerformanceVariables.TransportName}=rabbitmq: the tier's own tests run over it.");

    /// <summary>Runs a scenario, writes its result and tells xUnit the verdict.</summary>
    private protected Task<ScenarioResult> RunAsync(PaymentScenario scenario, string profile, EventTransport? transport = null) =>
        new PaymentScenarioRunner(Catalog, run).RunAsync(scenario, BackendProfile.Parse(profile), transport, TestContext.Current.CancellationToken);
}
