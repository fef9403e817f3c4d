using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Tiers;

/// <summary>What the tests of a tier share.</summary>
public abstract class TierTests(BackendFixture backends, RunFixture run)
{
    private readonly ScenarioRunner _runner = new(backends.Catalog, run);

    /// <summary>What the environment asks for.</summary>
    protected PerformanceVariables Variables => run.Variables;

    /// <summary>Runs a scenario and tells xUnit the verdict.</summary>
    protected Task RunAsync(WorkflowScenario scenario, string profile, HostingKind hosting = HostingKind.InProcess, EventTransport? transport = null) =>
        _runner.RunAsync(scenario, BackendProfile.Parse(profile), hosting, transport, TestContext.Current.CancellationToken);
}
