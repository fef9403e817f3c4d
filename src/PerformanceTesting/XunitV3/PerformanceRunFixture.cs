using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// The one run of a test process: <c>[assembly: AssemblyFixture(typeof(PerformanceRunFixture))]</c> and a constructor parameter of this
/// type. What is measured goes into the run's directory, and its verdict to xUnit. Tests that run in parallel wait for each other here;
/// <c>[assembly: Parallelization(Mode = ParallelMode.None)]</c> also keeps those away that measure nothing.
/// </summary>
public sealed class PerformanceRunFixture : IAsyncLifetime
{
    /// <summary>Where results go when <c>WORKFLOW_PERF_RESULTS</c> does not say, from the folder of the test project.</summary>
    public const string UsualResults = "TestResults/performance";

    private readonly SemaphoreSlim _turn = new(1, 1);
    private RunSession? _session;

    private RunSession Session => _session
        ?? throw new InvalidOperationException("The fixture is not initialised; take it by a constructor parameter of the test class.");

    public ValueTask InitializeAsync()
    {
        var violations = new List<string>();
        var targets = MetricsTargets.Read(Environment.GetEnvironmentVariable, violations);
        _session = violations.Count == 0
            ? new RunSession(targets, TestProgress.Outputs(TestContext.Current))
            : throw new ArgumentException(string.Join(Environment.NewLine, violations));
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        if (_session is { } session)
        {
            await session.DisposeAsync();
            _turn.Dispose();
            TestVerdict.RequireNothingAfterVerdict(session.TakeAfterVerdict());
        }
    }

    /// <summary>Starts a service, measures a scenario on it, writes the result and reports the verdict to xUnit.</summary>
    /// <param name="start">Starts the service, or connects to one that runs. It is stopped when the next one has been set up.</param>
    /// <param name="scenario">Makes the scenario.</param>
    public async Task<ScenarioResult> MeasureAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario)
        where TService : ServiceUnderTest
    {
        var cancel = TestContext.Current.CancellationToken;
        await _turn.WaitAsync(cancel);
        try
        {
            return TestVerdict.Report(await RunAsync(start, scenario, cancel), Session.TakeAfterVerdict());
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task<RunReport> RunAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario, CancellationToken cancel)
        where TService : ServiceUnderTest
    {
        var writer = Session.Writer ?? await OpenAsync(cancel);
        Session.Reproduce = ReproduceTest();
        Session.Progress.Enter(RunStage.Preparing, TestContext.Current.TestMethod?.MethodName);
        return await Session.MeasureAsync(
            async token =>
            {
                var arranged = await ServiceUnderTest.ArrangeAsync(start, scenario, token);
                try
                {
                    await writer.SetBackendAsync(arranged.Scenarios[0].Profile, ((TService)arranged.System).Describe(), token);
                    return arranged;
                }
                catch
                {
                    await arranged.DisposeAsync();
                    throw;
                }
            },
            engine: null,
            abort: CancellationToken.None,
            cancel);
    }

    /// <summary>The folder of the test project, upwards from its assembly; without one that of the assembly.</summary>
    internal static string ProjectFolder(string from)
    {
        for (var folder = from; folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (Directory.EnumerateFiles(folder, "*.csproj").Any())
            {
                return folder;
            }
        }

        return from;
    }

    private Task<ResultWriter> OpenAsync(CancellationToken cancellationToken)
    {
        var project = ProjectFolder(AppContext.BaseDirectory);
        return Session.OpenAsync(
            resultsDirectory: null, SourceRevision.FindRoot(project) ?? project, Path.Combine(project, UsualResults), cancellationToken);
    }

    private static string? ReproduceTest() =>
        TestContext.Current is { TestClass.TestClassName: { } type, TestMethod.MethodName: { } method }
            ? $"dotnet test --filter FullyQualifiedName={type}.{method}"
            : null;
}

/// <summary>A verdict as xUnit knows it: a pass, a failure, or a skip with the evidence.</summary>
public static class TestVerdict
{
    /// <summary>Environment variable: with <c>1</c> an inconclusive run fails instead of being skipped.</summary>
    public const string StrictName = "WORKFLOW_PERF_STRICT";

    /// <summary>Begins the reason of every test that was skipped because it says nothing.</summary>
    public const string InconclusivePrefix = "Inconclusive: ";

    /// <summary>
    /// Shows a result's summary as a warning of its test, which VSTest lets through, and fails or skips the test where it must.
    /// </summary>
    /// <param name="report">The result.</param>
    /// <param name="afterVerdict">What came to light of runs before it after their verdicts.</param>
    public static ScenarioResult Report(RunReport report, IReadOnlyList<string> afterVerdict)
    {
        ArgumentNullException.ThrowIfNull(report);
        TestContext.Current.AddWarning(report.Summary);
        RequireNothingAfterVerdict(afterVerdict);
        if (report.Result.Verdict.Outcome == VerdictOutcome.Failed)
        {
            Assert.Fail(report.Summary);
        }

        RequireConclusion(report.Result.Verdict.Outcome != VerdictOutcome.Inconclusive, report.Summary);
        return report.Result;
    }

    /// <summary>What says nothing about the system is skipped with its evidence, or fails where runs are strict.</summary>
    public static void RequireConclusion(bool isConclusive, string summary)
    {
        if (!isConclusive)
        {
            summary = InconclusivePrefix + summary;
            Assert.SkipUnless(Environment.GetEnvironmentVariable(StrictName) is "1", summary);
            Assert.Fail(summary);
        }
    }

    /// <summary>A run before has become a failed one: its test is over, so that this one says so.</summary>
    public static void RequireNothingAfterVerdict(IReadOnlyList<string> afterVerdict)
    {
        ArgumentNullException.ThrowIfNull(afterVerdict);
        Assert.True(afterVerdict.Count == 0, "Of a run before this one: " + string.Join(Environment.NewLine, afterVerdict));
    }
}
