using PerformanceTesting;
using PerformanceTesting.Backends.RabbitMq;
using PerformanceTesting.Subjects.Streams;
using PerformanceTesting.XunitV3;

namespace PerformanceTests.Tiers;

/// <summary>
/// Connects the one run of this test process to xUnit: skips what is not available, measures, and reports the verdict.
/// </summary>
public sealed class RunFixture : IAsyncLifetime
{
    private readonly BackendFixture _backends = new() { Measures = true };
    private PerformanceRun? _run;

    /// <summary>All profiles; tests skip those that are not available, with the reason.</summary>
    public static TheoryData<string> Profiles { get; } = [.. BackendCatalog.KnownProfiles];

    /// <summary>The profiles that the payment service has a store for.</summary>
    public static TheoryData<string> PaymentProfiles { get; } = ["memory", "postgres"];

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
        TestVerdict.RequireNoLateFailures(_run?.TakeLateFailures() ?? []);
    }

    /// <summary>
    /// Measures a scenario, writes its result and reports the verdict to xUnit. Skips if the backend or the broker is not available.
    /// </summary>
    /// <param name="scenario">The scenario to measure.</param>
    /// <param name="profile">The profile to measure it on.</param>
    /// <param name="hosting">In process, or over HTTP.</param>
    /// <param name="transport">The transport of the events. Null (the default) for the one that the environment asks for.</param>
    public Task<ScenarioResult> MeasureAsync(
        WorkflowScenario scenario, string profile, HostingKind hosting = HostingKind.InProcess, EventTransport? transport = null) =>
        MeasureAsync([scenario], profile, hosting, transport);

    /// <summary>Measures scenarios that run at the same time, and returns the only result or the sum.</summary>
    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    public Task<ScenarioResult> MeasureAsync(
        IReadOnlyList<WorkflowScenario> scenarios, string profile, HostingKind hosting, EventTransport? transport = null) =>
        MeasureAsync(profile, transport, (broker, cancel) => Run.MeasureAsync(scenarios, profile, hosting, broker, cancel));

    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    internal Task<ScenarioResult> MeasureAsync(PaymentScenario scenario, string profile, EventTransport? transport = null) =>
        MeasureAsync(profile, transport, (broker, cancel) => Run.MeasureAsync(scenario, profile, broker, cancel));

    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    public Task<ScenarioResult> MeasureAsync(StreamScenario scenario, string profile) =>
        MeasureAsync(profile, EventTransport.OfHosting, (_, cancel) => Run.MeasureAsync(scenario, profile, cancel));

    /// <summary>Searches for the capacity, writes the result and reports it to xUnit.</summary>
    public async Task SearchAsync(WorkflowScenario scenario, string profile, HostingKind hosting)
    {
        var cancel = Cancel;
        var broker = await RequireAsync(profile, transport: null, cancel);
        var report = await Run.SearchAsync(scenario, profile, hosting, broker, cancel);
        TestContext.Current.AddWarning(report.Summary);
        var verdict = report.Result.ToVerdict();
        Assert.True(verdict.Outcome != VerdictOutcome.Failed, string.Join(Environment.NewLine, [report.Summary, .. verdict.Reasons]));
        TestVerdict.RequireNoLateFailures(Run.TakeLateFailures());
        TestVerdict.RequireConclusion(verdict.Outcome == VerdictOutcome.Passed, report.Summary);
    }

    /// <summary>Skips a published size if <c>WORKFLOW_PERF_SIZE=xl</c> asks for full sizes.</summary>
    public void SkipUnlessPublishedSize() => Assert.SkipWhen(
        Variables.Size == ScenarioSize.Xl, $"{MeasurementVariables.SizeName}=xl: the full size of this scenario runs instead.");

    /// <summary>Skips a test over the broker if the environment already runs the tests of its tier over the broker.</summary>
    public void SkipUnlessOfHosting() => Assert.SkipWhen(
        Variables.Transport == EventTransport.RabbitMq,
        $"{MeasurementVariables.TransportName}=rabbitmq: the tier's own tests run over it.");

    /// <summary>The command that runs this one test again as the environment asks; no address and no secret.</summary>
    private static string? ReproduceTest() => TestContext.Current.Test is { } test
        ? RepeatCommand.Of("tests/PerformanceTests", test.TestDisplayName, Environment.GetEnvironmentVariable)
        : null;

    private async Task<ScenarioResult> MeasureAsync(
        string profile, EventTransport? transport, Func<RabbitMqServer?, CancellationToken, Task<RunReport>> measure)
    {
        var cancel = Cancel;
        var broker = await RequireAsync(profile, transport, cancel);
        Run.Reproduce = ReproduceTest();
        return TestVerdict.Report(await measure(broker, cancel), Run.TakeLateFailures());
    }

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
