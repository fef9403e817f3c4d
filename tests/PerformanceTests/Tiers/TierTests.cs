using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>What the tests of a tier share.</summary>
public abstract class TierTests(RunFixture run)
{
    /// <summary>Every profile that has a name; those that are not available are skipped with the reason.</summary>
    public static TheoryData<string> Profiles
    {
        get;
    } = ["memory", "postgres", "postgres-redis", "oracle-aq", "oracle-redis", "mongo", "mongo-redis"];

    /// <summary>The profiles that payments have a store for.</summary>
    public static TheoryData<string> PaymentProfiles { get; } = ["memory", "postgres"];

    protected BackendCatalog Catalog => run.Catalog;

    /// <summary>What the environment asks for.</summary>
    protected MeasurementVariables Variables => run.Variables;

    /// <summary>Runs a scenario, writes its result and reports the verdict to xUnit.</summary>
    protected Task<ScenarioResult> RunAsync(
        WorkflowScenario scenario, string profile, HostingKind hosting = HostingKind.InProcess, EventTransport? transport = null) =>
        run.RunAsync(scenario, profile, hosting, transport);

    /// <summary>Runs virtual users over HTTP, whose verdict and results are those of all of them together, and of each.</summary>
    protected Task<ScenarioResult> RunUsersAsync(string kind, int users, TimeSpan? duration, string profile) =>
        run.RunAsync(VirtualUserScenario.Of(kind, users, duration), profile, HostingKind.Http);

    /// <inheritdoc cref="RunAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    private protected Task<ScenarioResult> RunAsync(PaymentScenario scenario, string profile, EventTransport? transport = null) =>
        run.RunAsync(scenario, profile, transport);

    /// <inheritdoc cref="RunAsync(WorkflowScenario, string, HostingKind, EventTransport?)"/>
    protected Task<ScenarioResult> RunAsync(StreamScenario scenario, string profile) => run.RunAsync(scenario, profile);

    /// <summary>Searches for the capacity, writes the result and reports to xUnit what came of it.</summary>
    protected Task SearchAsync(WorkflowScenario scenario, string profile, HostingKind hosting) =>
        run.SearchAsync(scenario, profile, hosting);

    /// <summary>With <c>WORKFLOW_PERF_SIZE=xl</c> only full sizes run.</summary>
    protected void SkipUnlessPublishedSize() => Assert.SkipWhen(
        Variables.Size == ScenarioSize.Xl, $"{MeasurementVariables.SizeName}=xl: the full size of this scenario runs instead.");

    /// <summary>What runs over a broker anyway need not do so twice.</summary>
    protected void SkipUnlessOfHosting() => Assert.SkipWhen(
        Variables.Transport == EventTransport.RabbitMq,
        $"{MeasurementVariables.TransportName}=rabbitmq: the tier's own tests run over it.");
}
