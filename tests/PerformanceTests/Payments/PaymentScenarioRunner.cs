using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Payments;

/// <summary>Runs a payment scenario on a profile, writes its result, and tells xUnit the verdict.</summary>
internal sealed class PaymentScenarioRunner(BackendCatalog catalog, RunFixture run)
{
    public async Task<ScenarioResult> RunAsync(PaymentScenario scenario, BackendProfile profile, EventTransport? transport, CancellationToken cancellationToken)
    {
        await catalog.RequireOrSkipAsync(profile, cancellationToken);
        var broker = await run.BrokerAsync(catalog, transport, cancellationToken);
        var writer = await run.WriterAsync(catalog, profile, HostingKind.InProcess, broker, cancellationToken);
        var engine = run.LoadEngine(writer, BrokerResult.NameOf($"{profile.Name}-{scenario.Form.Name}", broker));
        var (result, counters) = await PaymentMeasurement.TakeAsync(scenario, catalog, profile, broker, run.Variables.Size == ScenarioSize.Xl, cancellationToken, engine);
        await ScenarioRunner.ConcludeAsync(writer, result, counters, cancellationToken);
        return result;
    }
}
