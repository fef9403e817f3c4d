using PerformanceTesting;
using PerformanceTesting.Subjects.Streams;
using PerformanceTesting.XunitV3;

namespace PerformanceTests.Tiers;

/// <summary>
/// The run of this test process as xUnit sees it: skips what is not available, and reports each verdict to its test.
/// </summary>
public sealed class RunFixture() : PerformanceRun(
    new BackendCatalog(BackendVariables.FromEnvironment()),
    MeasurementVariables.FromEnvironment(injections: Injection.Parse),
    TestProgress.Outputs())
{
    private readonly ConcurrentDictionary<string, bool> _absent = new(StringComparer.Ordinal);

    /// <summary>All profiles. Tests skip those that are not available, with the reason.</summary>
    public static TheoryData<string> Profiles { get; } = [.. BackendCatalog.KnownProfiles];

    /// <summary>The profiles that the payment service has a store for.</summary>
    public static TheoryData<string> PaymentProfiles { get; } = ["memory", "postgres"];

    /// <summary>
    /// Measures a scenario, writes its result and reports the verdict. Skips if the backend or the broker is not
    /// available.
    /// </summary>
    /// <param name="scenario">The scenario to measure.</param>
    /// <param name="profile">The profile to measure it on.</param>
    /// <param name="hosting">In process, or over HTTP.</param>
    /// <param name="transport">Carries the events. Null (the default) for what the environment asks for.</param>
    public Task<ScenarioResult> MeasureAsync(
        WorkflowScenario scenario, string profile, HostingKind hosting = HostingKind.InProcess,
        EventTransport? transport = null) => MeasureAsync([scenario], profile, hosting, transport);

    /// <summary>Measures scenarios that run at the same time, and returns the only result or the sum.</summary>
    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    public Task<ScenarioResult> MeasureAsync(
        IReadOnlyList<WorkflowScenario> scenarios, string profile, HostingKind hosting,
        EventTransport? transport = null) => ReportAsync(
        profile, transport, cancel => base.MeasureAsync(scenarios, profile, hosting, transport, cancel));

    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    internal Task<ScenarioResult> MeasureAsync(
        PaymentScenario scenario, string profile, EventTransport? transport = null) =>
        ReportAsync(profile, transport, cancel => base.MeasureAsync(scenario, profile, transport, cancel));

    /// <inheritdoc cref="MeasureAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    public Task<ScenarioResult> MeasureAsync(StreamScenario scenario, string profile) =>
        ReportAsync(profile, EventTransport.OfHosting, cancel => base.MeasureAsync(scenario, profile, cancel));

    /// <summary>Searches for the capacity, writes the result and reports it to xUnit.</summary>
    public async Task SearchAsync(WorkflowScenario scenario, string profile, HostingKind hosting)
    {
        var cancel = Cancel;
        await RequireAsync(profile, transport: null, cancel);
        var report = await base.SearchAsync(scenario, profile, hosting, cancel);
        TestTerminal.Write($"{report.Result.Name}: {report.Result.Sentence}");
        TestContext.Current.TestOutputHelper?.WriteLine(report.Summary);
        var verdict = report.Result.ToVerdict();
        Assert.True(
            verdict.Outcome != VerdictOutcome.Failed,
            string.Join(Environment.NewLine, [report.Summary, .. verdict.Reasons]));
        TestVerdict.RequireNoLateFailures(TakeLateFailures());
        TestVerdict.RequireConclusion(verdict.Outcome == VerdictOutcome.Passed, report.Summary);
    }

    /// <summary>Skips a published size if <c>WORKFLOW_PERF_SIZE=xl</c> asks for full sizes.</summary>
    public void SkipUnlessPublishedSize() => Assert.SkipWhen(
        Variables.Size == ScenarioSize.Xl,
        $"{MeasurementVariables.SizeName}=xl: the full size of this scenario runs instead.");

    /// <summary>Skips a test over the broker if the environment runs its whole tier over the broker.</summary>
    public void SkipUnlessOfHosting() => Assert.SkipWhen(
        Variables.Transport == EventTransport.RabbitMq,
        $"{MeasurementVariables.TransportName}=rabbitmq: the tier's own tests run over it.");

    public override async ValueTask DisposeAsync()
    {
        try
        {
            await base.DisposeAsync();
            TestRunSummary.Report(Writer);
            TestVerdict.RequireNoLateFailures(TakeLateFailures());
        }
        catch (Exception exception)
        {
            // xUnit's silent reporter shows no failure of a fixture.
            TestTerminal.Write($"FAILED at the end of the run: {exception.Message}");
            throw;
        }
    }

    /// <summary>The command that runs this test again in the same environment, without addresses and secrets.</summary>
    private static string? ReproduceTest() => TestContext.Current.Test is { } test
        ? RepeatCommand.Of("tests/PerformanceTests", test.TestDisplayName, Environment.GetEnvironmentVariable)
        : null;

    private async Task<ScenarioResult> ReportAsync(
        string profile, EventTransport? transport, Func<CancellationToken, Task<RunReport>> measure)
    {
        var cancel = Cancel;
        await RequireAsync(profile, transport, cancel);
        Reproduce = ReproduceTest();
        return TestVerdict.Report(await measure(cancel), TakeLateFailures());
    }

    private async Task RequireAsync(string profile, EventTransport? transport, CancellationToken cancellationToken)
    {
        var needsBroker = (transport ?? Variables.Transport) == EventTransport.RabbitMq;
        if (needsBroker)
        {
            // All start at once: a broker needs longer than a database, and nothing is measured yet.
            await Task.WhenAll(
                Catalog.ProbeAllAsync(cancellationToken),
                Catalog.FindServerAsync(ServerKind.RabbitMq, cancellationToken));
        }

        var availability = await Catalog.ProbeAsync(profile, cancellationToken);
        if (!availability.IsAvailable && _absent.TryAdd(profile, true))
        {
            TestTerminal.Write($"NOT EXERCISED {availability}");
        }

        await Catalog.RequireOrSkipAsync(profile, cancellationToken);
        if (needsBroker)
        {
            await Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, cancellationToken);
        }
    }
}
