using Workflow.Abstractions.Stores;

namespace PerformanceTests.Calibration;

/// <summary>
/// Over HTTP one reader takes all events. Where it cannot follow, completions look late though the service was quick: the run must say
/// whose that is.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class SlowConsumerTests : IAsyncDisposable
{
    private const string Reason = "the consumer of events worked for up to";

    private static readonly ScenarioVariant s_load = new("slow-consumer", TierNames.Calibration, 200, 16) { SignalWorkers = 8 };
    private readonly BackendCatalog _catalog = new(new BackendVariables());

    public ValueTask DisposeAsync() => _catalog.DisposeAsync();

    [Fact]
    public Task Consumer_that_works_twenty_milliseconds_on_each_event_is_the_generators_limit() => RealTime.HoldsAsync(async () =>
    {
        var slow = await MeasureAsync(new SlowConsumer(TimeSpan.FromMilliseconds(20)));
        var twin = await MeasureAsync(new SlowConsumer(TimeSpan.Zero));

        Assert.Equal(s_load.Operations, slow.Ledger!.Completed);
        Assert.Contains(slow.Verdict.Reasons, reason => reason.Contains(Reason, StringComparison.Ordinal));
        Assert.DoesNotContain(twin.Verdict.Reasons, reason => reason.Contains(Reason, StringComparison.Ordinal));
    });

    private async Task<ScenarioResult> MeasureAsync(IFaultInjection injection)
    {
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [new SignalRoundTripThroughputScenario(s_load)],
            Backend = await _catalog.OpenAsync("memory", Cancel),
            Hosting = HostingKind.Http,
            Definitions = PerformanceTesting.PerformanceRun.Definitions,
            Injection = injection,
        };
        return (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel)).Total;
    }

    private sealed class SlowConsumer(TimeSpan work) : IFaultInjection, IPlantedFault
    {
        public string Name => "slow consumer";
        public bool IsInStore => false;
        public IPlantedFault Plant() => this;

        public void BeginMeasuring()
        {
        }

        public IWorkflowStore Around(IWorkflowStore store, string? connectionString) => store;

        public bool Delivers(IntegrationEvent sent)
        {
            var since = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(since) < work)
            {
                Thread.SpinWait(100);
            }

            return true;
        }

        public Task? DeliversAgainWhen(IntegrationEvent sent) => null;
        public bool StartsTwice() => false;
    }
}
