namespace PerformanceTests.Calibration;

/// <summary>
/// Over HTTP one reader takes all events. Where it cannot follow, completions look late though the service was quick:
/// the run must say whose that is.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class SlowConsumerTests : IAsyncDisposable
{
    private const string Reason = "the consumer of events worked for up to";

    private static readonly ScenarioVariant s_load =
        new("slow-consumer", TierNames.Calibration, 200, 16) { SignalWorkers = 8 };
    private static readonly TimeSpan s_stall = TimeSpan.FromSeconds(1.2);
    private readonly BackendCatalog _catalog = new(new BackendVariables());

    public ValueTask DisposeAsync() => _catalog.DisposeAsync();

    [Fact]
    public Task Slow_consumer_is_the_limit_of_the_generator() => RealTime.HoldsAsync(async () =>
    {
        var slow = await MeasureAsync(new SlowConsumer(TimeSpan.FromMilliseconds(20)));
        var twin = await MeasureAsync(new SlowConsumer(TimeSpan.Zero));

        Assert.Equal(s_load.Operations, slow.Ledger!.Completed);
        Assert.Contains(slow.Verdict.Reasons, reason => reason.Contains(Reason, StringComparison.Ordinal));
        Assert.DoesNotContain(twin.Verdict.Reasons, reason => reason.Contains(Reason, StringComparison.Ordinal));
    });

    [Fact]
    public Task Stall_while_the_consumer_handled_one_event_is_the_generators() => RealTime.HoldsAsync(async () =>
    {
        using var fault = new CompletionFault { Pause = number => number == OneByOne.Middle ? s_stall : TimeSpan.Zero };

        var total = await MeasureAsync(fault, new OneByOne(pausesService: false));

        // A busy machine may explain it too, and goes first.
        var stall = Assert.Single(total.Stalls!, stall => stall.DurationMs > 1_000);
        Assert.True(stall.Cause is StallCause.Generator or StallCause.Machine, $"{stall}");
        Assert.Equal(VerdictOutcome.Inconclusive, total.Verdict.Outcome);
    });

    /// <summary>No event comes meanwhile, and a consumer that waits for one is no excuse.</summary>
    [Fact]
    public Task Stall_of_a_service_that_stands_still_is_not_the_generators() => RealTime.HoldsAsync(async () =>
    {
        Assert.SkipWhen(
            OperatingSystem.IsWindows(), "A process is stopped as it stands by a signal, which Windows does not have.");

        using var none = new CompletionFault();
        var total = await MeasureAsync(none, new OneByOne(pausesService: true));

        // A busy machine may explain it too; what decides that is tested with the stalls.
        Assert.NotEqual(StallCause.Generator, Assert.Single(total.Stalls!, stall => stall.DurationMs > 1_000).Cause);
    });

    private async Task<ScenarioResult> MeasureAsync(IFaultInjection injection, WorkflowScenario? scenario = null)
    {
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [scenario ?? new SignalRoundTripThroughputScenario(s_load)],
            Backend = await _catalog.OpenAsync("memory", Cancel),
            Hosting = HostingKind.Http,
            Injection = injection,
        };
        var total = (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel)).Total;
        TestContext.Current.TestOutputHelper?.WriteLine($"{total.Verdict.Outcome}: {string.Join(" | ", total.Verdict.Reasons)}");
        return total;
    }

    private sealed class SlowConsumer(TimeSpan work) : IFaultInjection, IPlantedFault
    {
        public string Name => "slow consumer";
        public IPlantedFault Plant() => this;

        public bool Delivers(IntegrationEvent sent)
        {
            var since = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(since) < work)
            {
                Thread.SpinWait(100);
            }

            return true;
        }
    }

    /// <summary>
    /// Operations of one worker one after the other, and at the one in the middle the service may stand still.
    /// </summary>
    private sealed class OneByOne(bool pausesService) : RoundTripScenario(
        new ScenarioVariant(
            "one-by-one", TierNames.Throughput, Operations: 2 * Middle, Concurrency: 1) { SignalWorkers = 1 },
        "signal-roundtrip", "roundtrip")
    {
        internal const int Middle = 100;

        public override string Question => "Whose is a stall?";

        public override BatchShape Shape => BatchShape.Continuous;

        public override async Task<IResponse> RunAsync(
            IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
        {
            if (!pausesService || batch.Size != Operations || context.IterationNumber != Middle)
            {
                return await base.RunAsync(context, batch, subject);
            }

            await SignalAsync("-STOP", subject);
            var running = base.RunAsync(context, batch, subject);
            await Task.Delay(s_stall, CancellationToken.None);
            await SignalAsync("-CONT", subject);
            return await running;
        }

        private static Task<CommandResult> SignalAsync(string signal, WorkflowSubject subject) =>
            Command.RunAsync("kill", [signal, $"{subject.ProcessId}"], cancellationToken: CancellationToken.None);
    }
}
