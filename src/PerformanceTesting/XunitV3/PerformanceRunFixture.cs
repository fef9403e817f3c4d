using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// The run of a test process: <c>[assembly: AssemblyFixture(typeof(PerformanceRunFixture))]</c> and a constructor
/// parameter of this type. Results go to the run's directory, and verdicts to xUnit. Parallel tests wait for each other
/// here; <c>[assembly: Parallelization(Mode = ParallelMode.None)]</c> also keeps away tests that measure nothing.
/// </summary>
public sealed class PerformanceRunFixture : IAsyncDisposable
{
    /// <summary>
    /// Where results go when <c>WORKFLOW_PERF_RESULTS</c> does not say, from the folder of the test project.
    /// </summary>
    public const string UsualResults = "TestResults/performance";

    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly RunSession _session;

    /// <exception cref="ArgumentException">A variable of the environment is wrong.</exception>
    public PerformanceRunFixture()
    {
        var violations = new List<string>();
        var targets = MetricsTargets.Read(Environment.GetEnvironmentVariable, violations);
        _session = violations.Count == 0
            ? new RunSession(targets, TestProgress.Outputs())
            : throw new ArgumentException(string.Join(Environment.NewLine, violations));
    }

    public async ValueTask DisposeAsync()
    {
        await _session.DisposeAsync();
        _turn.Dispose();
        TestRunSummary.Report(_session.Writer);
        TestVerdict.RequireNoLateFailures(_session.TakeLateFailures());
    }

    /// <summary>
    /// Starts a service, measures a scenario on it, writes the result and reports the verdict to xUnit.
    /// </summary>
    /// <param name="start">
    /// Starts the service, or connects to one that runs. It is stopped when the next one has been set up.
    /// </param>
    /// <param name="scenario">Makes the scenario.</param>
    public async Task<ScenarioResult> MeasureAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario)
        where TService : ServiceUnderTest
    {
        TestInterruption.RequireNone();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(
            TestContext.Current.CancellationToken, TestInterruption.Ended);
        var cancel = ended.Token;
        await _turn.WaitAsync(cancel);
        try
        {
            return TestVerdict.Report(await RunAsync(start, scenario, cancel), _session.TakeLateFailures());
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task<RunReport> RunAsync<TService>(
        Func<CancellationToken, Task<TService>> start, Func<TService, ServiceScenario> scenario,
        CancellationToken cancel)
        where TService : ServiceUnderTest
    {
        var writer = _session.Writer ?? await OpenAsync(cancel);
        _session.Reproduce = ReproduceTest();
        _session.Progress.Enter(RunStage.Preparing, TestContext.Current.TestMethod?.MethodName);
        return await _session.MeasureAsync(
            async token =>
            {
                var arranged = await ServiceUnderTest.ArrangeAsync(start, scenario, token);
                try
                {
                    var description = ((TService)arranged.System).Describe();
                    await writer.SetBackendAsync(arranged.Scenarios[0].Profile, description, token);
                    return arranged;
                }
                catch
                {
                    await arranged.DisposeAsync();
                    throw;
                }
            },
            engine: null,
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
        return _session.OpenAsync(
            resultsDirectory: null, SourceRevision.FindRoot(project) ?? project, Path.Combine(project, UsualResults),
            cancellationToken);
    }

    private static string? ReproduceTest() =>
        TestContext.Current is { TestClass.TestClassName: { } type, TestMethod.MethodName: { } method }
            ? $"dotnet test --filter FullyQualifiedName={type}.{method}"
            : null;
}
