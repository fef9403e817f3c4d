using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Hosting;
using IntegrationTests.Shared.Subjects;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Health;
using LoadTesting.Core.Load;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Scenarios;
using PerformanceTests.Scenarios;
using Workflow.DataStore.PostgreSql;
using Workflow.Engine.InMemory;
using Xunit;

namespace PerformanceTests.Running;

/// <summary>Runs a scenario on a profile and a hosting, writes its result, and tells xUnit the verdict.</summary>
public sealed class ScenarioRunner(BackendCatalog catalog, RunFixture run)
{
    private static readonly TimeSpan CompletionTimeout = TimeSpan.FromSeconds(30);
    private const int WarmUpOperations = 32;

    public async Task RunAsync(WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, CancellationToken cancellationToken)
    {
        await catalog.RequireOrSkipAsync(profile, cancellationToken);
        var writer = await run.WriterAsync(catalog, profile, cancellationToken);
        var result = await MeasureAsync(scenario, profile, hosting, cancellationToken);
        await writer.AddScenarioAsync(result, cancellationToken);
        var summary = TerminalSummary.Of(result, writer.ReportPath);
        TestContext.Current.AddWarning(summary);
        Judge(result, summary);
    }

    private static void Judge(LoadTesting.Core.Baselines.ScenarioResult result, string summary)
    {
        if (result.Verdict.Outcome == VerdictOutcome.Failed)
        {
            Assert.Fail(summary);
        }

        if (result.Verdict.Outcome == VerdictOutcome.Inconclusive)
        {
            Assert.SkipUnless(Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is "1", summary);
            Assert.Fail(summary);
        }
    }

    private async Task<LoadTesting.Core.Baselines.ScenarioResult> MeasureAsync(
        WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, CancellationToken cancellationToken)
    {
        await using var subject = await StartAsync(scenario, profile, hosting, cancellationToken);
        var hashes = new List<string>();
        foreach (var name in scenario.Definitions)
        {
            var file = Path.Combine(RunFixture.Root, "fixtures", "definitions", name + ".json");
            hashes.Add(await subject.RegisterAsync(await File.ReadAllTextAsync(file, cancellationToken), cancellationToken));
        }

        await LoadAsync(scenario, subject, WarmUpOperations, TimeSpan.Zero, cancellationToken);
        subject.Observer.BeginMeasuring(MachineBoot.Id);
        var before = await subject.CountAsync(cancellationToken);
        var (load, wave) = await LoadAsync(scenario, subject, scenario.Operations, scenario.DueAfter, cancellationToken);
        var counts = (await subject.CountAsync(cancellationToken)).Since(before);
        return ScenarioReport.Make(scenario, subject, load, wave, counts, hashes);
    }

    private static async Task<(LoadResult Load, Wave Wave)> LoadAsync(
        WorkflowScenario scenario, WorkflowSubject subject, int operations, TimeSpan dueAfter, CancellationToken cancellationToken)
    {
        var wave = new Wave(subject.Observer.Awaiter, scenario.CompletionEvent, dueAfter, CompletionTimeout);
        var props = Scenario.Create(scenario.Name, context => scenario.RunAsync(context, wave, subject))
            .WithLoadSimulations(Simulation.IterationsForConstant(scenario.Concurrency, operations));
        var limits = subject.Hosting == HostingKind.InProcess ? GeneratorHealthLimits.ForSystemInSameProcess : new GeneratorHealthLimits();
        var load = await new LoadRunner().RunAsync([props], new LoadOptions { CompletionTimeout = CompletionTimeout, HealthLimits = limits }, cancellationToken);
        await wave.SettleAsync(subject, cancellationToken);
        return (load, wave);
    }

    private async Task<WorkflowSubject> StartAsync(WorkflowScenario scenario, BackendProfile profile, HostingKind hosting, CancellationToken cancellationToken)
    {
        var connectionString = profile == BackendProfile.Memory
            ? null
            : await (await catalog.PostgresAsync(cancellationToken)).CreateDatabaseAsync("perf", cancellationToken);
        if (hosting == HostingKind.InProcess)
        {
            Workflow.Abstractions.Stores.IWorkflowStore store = connectionString is null
                ? new InMemoryStore()
                : new PostgresStore(new() { ConnectionString = connectionString });
            return await InProcessSubject.StartAsync(profile, store, scenario.SignalWorkers, scenario.Receivers, cancellationToken);
        }

        return await HttpSubject.StartAsync(
            profile,
            new WebServiceOptions
            {
                Provider = profile.Backend,
                ConnectionString = connectionString,
                Lanes = scenario.SignalWorkers,
                Settings = new Dictionary<string, string> { ["SignalReceivers"] = string.Join(',', scenario.Receivers) },
            },
            cancellationToken);
    }
}
