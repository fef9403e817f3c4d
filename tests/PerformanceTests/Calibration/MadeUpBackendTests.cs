using LoadTesting.Core.Reporting.Live;

namespace PerformanceTests.Calibration;

/// <summary>A backend of the tests runs the smoke scenarios, the capacity search and the payments.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class MadeUpBackendTests : IAsyncDisposable
{
    private const string Profile = "made-up";

    private readonly BackendCatalog _catalog = new(new BackendVariables(), additional: [new MadeUpBackend()]);

    public static TheoryData<string> Smoke { get; } =
        [.. ScenarioTable.Published.Where(variant => variant.Tier == TierNames.Smoke).Select(variant => variant.Name)];

    public ValueTask DisposeAsync() => _catalog.DisposeAsync();

    [Theory]
    [MemberData(nameof(Smoke))]
    public async Task Smoke_scenarios_run_on_it(string scenario)
    {
        var arrangement =
            await ArrangeAsync(ScenarioTable.Make(ScenarioTable.Published.Single(variant => variant.Name == scenario)));

        var run = await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel);

        Assert.True(run.Total.Verdict.Outcome != VerdictOutcome.Failed, string.Join(" ", run.Total.Verdict.Reasons));
        Assert.Equal($"{Profile}-{scenario}", run.Total.Name);
        Assert.Equal((true, run.Total.Operations), (run.Total.Ledger!.Balanced, run.Total.Ledger.Completed));
        Assert.Equal(1_234, run.Total.Backend!.Raw["made.up"]);
    }

    [Fact]
    public async Task Simultaneous_scenarios_have_a_result_each_and_a_sum()
    {
        var arrangement = await ArrangeAsync(new ExternalResumeScenario(ExternalResumeScenario.Smoke),
            new QuoteOrApplicationCancelScenario(QuoteOrApplicationCancelScenario.Smoke));
        using var metrics = new LoadMetrics();

        var run = await MeasurementPipeline.RunAsync(
            async token => (await arrangement.ArrangeAsync(token)) with { Progress = new RunProgress(metrics) },
            Cancel);

        Assert.Equal([12, 10], run.Results.Select(result => result.Ledger!.Completed));
        Assert.Equal(
            (22, 22, 22, true),
            (run.Total.Operations, run.Total.Ledger!.Completed, run.Total.Latency.N, run.Total.Ledger.Balanced));
        Assert.Equal(22, run.Total.Phases["start"].N);
        // What was published leaves out the warm-up too.
        Assert.All(run.Evidence.Load.Scenarios, scenario => Assert.Contains(
            $"\nload_iterations_completed_total{{scenario=\"{scenario.Name}\"}} {scenario.Ok.Count}\n",
            MetricsEndpoint.PageOf(metrics),
            StringComparison.Ordinal));
    }

    [Fact]
    public async Task Capacity_is_searched_on_it()
    {
        var target = new CapacityTarget((await ArrangeAsync(new SignalRoundTripCapacitySearchScenario())).ArrangeAsync);

        var step = await target.KeepAsync(concurrency: 4, TimeSpan.FromSeconds(1), Cancel);

        Assert.True(step is { Completed: > 0, Failed: 0 }, string.Join(" ", target.Violations));
        Assert.Equal(step.Completed / (step.WindowMs / 1000), step.ThroughputPerSecond, 3);
    }

    /// <summary>
    /// Of a batch all is started before anything is signalled: what was interrupted then waits for good.
    /// </summary>
    [Fact]
    public async Task Interrupted_load_keeps_a_balanced_partial_result()
    {
        using var interruption = new CancellationTokenSource();
        var scenario = new InterruptedScenario(700, interruption);
        var arrangement = await ArrangeAsync(scenario);

        var run =
            await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel, interruption: interruption.Token);

        var (total, ledger) = (run.Total, run.Total.Ledger!);
        Assert.True(total.Verdict.Outcome == VerdictOutcome.Inconclusive, string.Join(" ", total.Verdict.Reasons));
        Assert.StartsWith("partial: interrupted after", total.Verdict.Reasons[0], StringComparison.Ordinal);
        Assert.EndsWith(FormattableString.Invariant($" {total.Operations:#,0} of 2,000 operations had begun"),
            total.Partial, StringComparison.Ordinal);
        Assert.InRange(total.Operations, 700, 1_999);
        Assert.Equal((true, 0, total.Operations), (ledger.Balanced, ledger.Completed, ledger.Waiting));
        Assert.Equal((0, 0, 0), (ledger.Lost, ledger.Dropped, ledger.Stuck));
        Assert.Equal(total.Partial, ResultJson.Read(ResultJson.Write(Written(total))).Scenarios[0].Partial);
    }

    [Fact]
    public async Task Interrupted_before_its_load_it_has_no_result()
    {
        using var interruption = new CancellationTokenSource();
        await interruption.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await MeasurementPipeline.RunAsync(
            (await ArrangeAsync(new InterruptedScenario(0, interruption))).ArrangeAsync, Cancel,
            interruption: interruption.Token));
    }

    [Fact]
    public async Task Payments_run_on_it()
    {
        var scenario = new PaymentJourneyScenario(PaymentJourneyScenario.Smoke);
        var arrangement =
            new PaymentArrangement { Scenario = scenario, Backend = await _catalog.OpenAsync(Profile, Cancel) };

        var run = await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel);

        Assert.True(run.Total.Ledger is { Balanced: true, Completed: 20 }, string.Join(" ", run.Total.Verdict.Reasons));
    }

    private static RunResult Written(ScenarioResult scenario) => new()
    {
        RunId = "run", CreatedUtc = TimeProvider.System.GetUtcNow(), Environment = new EnvironmentInfo(),
        Scenarios = [scenario],
    };

    private async Task<WorkflowArrangement> ArrangeAsync(params WorkflowScenario[] scenarios) =>
        new() { Scenarios = scenarios, Backend = await _catalog.OpenAsync(Profile, Cancel) };
}

/// <summary>A batch that is interrupted when a number of its operations have begun.</summary>
internal sealed class InterruptedScenario(int begun, CancellationTokenSource interruption)
    : SignalRoundTripBatchScenario(SignalRoundTripCapacityScenario.Ladder[0].At(ScenarioSize.Xl))
{
    public override string Question => "What is left of a load that is interrupted?";

    public override async Task<IResponse> RunAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        if (batch.Size == Operations && context.IterationNumber >= begun)
        {
            await interruption.CancelAsync();
        }

        return await base.RunAsync(context, batch, subject);
    }
}
