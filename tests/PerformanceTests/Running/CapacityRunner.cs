using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Analysis.Capacity;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTests.Scenarios;
using Xunit;

namespace PerformanceTests.Running;

/// <summary>Searches for the capacity of a profile, writes the result, and tells xUnit what came of it.</summary>
internal sealed class CapacityRunner(BackendCatalog catalog, RunFixture run)
{
    private readonly ScenarioRunner _scenarios = new(catalog, run);

    public async Task RunAsync(WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, CancellationToken cancellationToken)
    {
        await catalog.RequireOrSkipAsync(profile, cancellationToken);
        var broker = await run.BrokerAsync(catalog, transport: null, cancellationToken);
        var writer = await run.WriterAsync(catalog, profile, hosting, broker, cancellationToken);
        var server = profile == BackendProfile.Memory ? null : await catalog.PostgresAsync(cancellationToken);
        var target = new WorkflowCapacityTarget(_scenarios, scenario, profile, hosting, server, broker);
        var options = new CapacityOptions { Unit = "workflows", Window = run.Variables.Rung };
        var name = BrokerResult.NameOf(ScenarioReport.NameOf(scenario, profile, hosting), broker);
        var result = await new CapacitySearch(options).RunAsync(target, name, profile.Name, hosting, cancellationToken);
        await writer.AddCapacityAsync(result, cancellationToken);

        var summary = $"{name}: {result.Sentence}{Environment.NewLine}  report: {writer.ReportPath}";
        TestContext.Current.AddWarning(summary);
        Assert.True(target.Violations.Count == 0, string.Join(Environment.NewLine, [summary, .. target.Violations]));
        ScenarioRunner.RequireConclusion(result.Outcome is CapacityOutcome.Found, summary);
    }
}
