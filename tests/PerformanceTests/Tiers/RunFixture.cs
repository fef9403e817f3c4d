using PerformanceTesting;
using PerformanceTesting.Backends.RabbitMq;
using PerformanceTesting.Subjects.Streams;
using PerformanceTesting.XunitV3;

namespace PerformanceTests.Tiers;

/// <summary>The one run of this test process: what is measured goes into its results, and its verdict to xUnit.</summary>
public sealed class RunFixture : IAsyncLifetime
{
    private readonly BackendFixture _backends = new() { Measures = true };
    private PerformanceRun? _run;

    public BackendCatalog Catalog => _backends.Catalog;

    /// <summary>What the environment asks for.</summary>
    public MeasurementVariables Variables => Run.Variables;

    private PerformanceRun Run => _run
        ?? throw new InvalidOperationException("The fixture is not initialised; take it by a constructor parameter of the test class.");

    public async ValueTask InitializeAsync()
    {
        await _backends.InitializeAsync();
        _run = new PerformanceRun(
            Catalog, MeasurementVariables.FromEnvironment(injections: Injection.Parse), TestProgress.Outputs(TestContext.Current));
    }

    public async ValueTask DisposeAsync()
    {
        if (_run is not null)
        {
            await _run.DisposeAsync();
        }

        await _backends.DisposeAsync();
        TestVerdict.RequireNothingAfterVerdict(_run?.TakeAfterVerdict() ?? []);
    }

    /// <summary>
    /// Measures a scenario, writes its result and reports the verdict to xUnit; skips where backend or broker are not available.
    /// </summary>
    /// <param name="scenario">What to run.</param>
    /// <param name="profile">On which backend.</param>
    /// <param name="hosting">In process, or over HTTP.</param>
    /// <param name="transport">What carries the events; what the environment says when null.</param>
    public async Task<ScenarioResult> RunAsync(
        WorkflowScenario scenario, string profile, HostingKind hosting, EventTransport? transport = null) =>
        await RunAsync([scenario], profile, hosting, transport);

    /// <summary>Measures scenarios that run at the same time; else as for one.</summary>
    public async Task<ScenarioResult> RunAsync(
        IReadOnlyList<WorkflowScenario> scenarios, string profile, HostingKind hosting, EventTransport? transport = null)
    {
        var cancel = Cancel;
        var broker = await RequireAsync(profile, transport, cancel);
        Run.Reproduce = ReproduceTest();
        return Report(await Run.MeasureAsync(scenarios, profile, hosting, broker, cancel));
    }

    /// <inheritdoc cref="RunAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    internal async Task<ScenarioResult> RunAsync(PaymentScenario scenario, string profile, EventTransport? transport = null)
    {
        var cancel = Cancel;
        var broker = await RequireAsync(profile, transport, cancel);
        Run.Reproduce = ReproduceTest();
        return Report(await Run.MeasureAsync(scenario, profile, broker, cancel));
    }

    /// <inheritdoc cref="RunAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    public async Task<ScenarioResult> RunAsync(StreamScenario scenario, string profile)
    {
        var cancel = Cancel;
        await RequireAsync(profile, EventTransport.OfHosting, cancel);
        Run.Reproduce = ReproduceTest();
        return Report(await Run.MeasureAsync(scenario, profile, cancel));
    }

    /// <summary>Searches for the capacity, writes the result and reports to xUnit what came of it.</summary>
    public async Task SearchAsync(WorkflowScenario scenario, string profile, HostingKind hosting)
    {
        var cancel = Cancel;
        var broker = await RequireAsync(profile, transport: null, cancel);
        var report = await Run.SearchAsync(scenario, profile, hosting, broker, cancel);
        TestContext.Current.AddWarning(report.Summary);
        var verdict = report.Result.ToVerdict();
        Assert.True(verdict.Outcome != VerdictOutcome.Failed, string.Join(Environment.NewLine, [report.Summary, .. verdict.Reasons]));
        TestVerdict.RequireNothingAfterVerdict(Run.TakeAfterVerdict());
        TestVerdict.RequireConclusion(verdict.Outcome == VerdictOutcome.Passed, report.Summary);
    }

    /// <summary>The command that runs this one test again as the environment asks; no address and no secret.</summary>
    private static string? ReproduceTest() => TestContext.Current.Test is { } test
        ? RepeatCommand.Of("tests/PerformanceTests", test.TestDisplayName, Environment.GetEnvironmentVariable)
        : null;

    private ScenarioResult Report(RunReport report) => TestVerdict.Report(report, Run.TakeAfterVerdict());

    private async Task<RabbitMqServer?> RequireAsync(string profile, EventTransport? transport, CancellationToken cancellationToken)
    {
        if ((transport ?? Variables.Transport) != EventTransport.RabbitMq)
        {
            await Catalog.RequireOrSkipAsync(profile, cancellationToken);
            return null;
        }

        // All start at once: a broker needs longer than a database, and nothing is measured yet.
        await Task.WhenAll(Catalog.ProbeAllAsync(cancellationToken), Catalog.FindServerAsync(ServerKind.RabbitMq, cancellationToken));
        await Catalog.RequireOrSkipAsync(profile, cancellationToken);
        return (RabbitMqServer)await Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, cancellationToken);
    }
}
