using System.Diagnostics;
using PerformanceTesting.Measurement;
using UnitTests.LoadTesting.Load;
using Runs = UnitTests.LoadTesting.Load.Runs;

namespace UnitTests.PerformanceTesting;

/// <summary>The verdict names a system that stalls during the warm-up, under any load model.</summary>
[Collection(TimedCollection.Name)]
public sealed class WarmUpStallTests
{
    private static readonly TimeSpan Frozen = TimeSpan.FromSeconds(1.3);

    private static readonly Dictionary<string, LoadSimulation> Loads = new()
    {
        ["iterations"] = Simulation.IterationsForConstant(copies: 4, iterations: 400),
        ["closed"] = Simulation.KeepConstant(copies: 2, TimeSpan.FromSeconds(1)),
        ["open"] = Simulation.Inject(
            50, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1)), // Most wait for the end of the stall.
        ["one batch"] = Simulation.IterationsForConstant(copies: 50, iterations: 50),
    };

    /// <summary>Each load sends little, so all run at the same time.</summary>
    [Fact]
    public Task Stall_in_the_warm_up_is_not_a_stall_of_the_run() => RealTime.HoldsAsync(async () =>
    {
        var totals = await Task.WhenAll(
            Loads.Values.Select(load => MeasureAsync(new FrozenScenario(load) { Freezes = 0 })));

        Assert.All(totals, total =>
        {
            var stall = Assert.Single(total.WarmUp!.Stalls);
            Assert.InRange(stall.DurationMs, 1_000, 10_000);
            Assert.NotEqual(VerdictOutcome.Passed, total.Verdict.Outcome);
            Assert.Contains(
                total.Verdict.Reasons,
                reason => reason.Contains("in the warm-up: stall: nothing completed for 1,", StringComparison.Ordinal));
            Assert.DoesNotContain(total.Stalls!, measured => measured.DurationMs >= 1_000);
            Assert.True(total.Latency.MaxMs < 1_000, $"a latency of {total.Latency.MaxMs} ms was measured");
        });
    });

    [Fact]
    public Task Stall_of_a_repeated_warm_up_counts_from_its_beginning() => RealTime.HoldsAsync(async () =>
    {
        var total = await MeasureAsync(new FrozenScenario(Loads["iterations"]) { Repeats = 3, Freezes = 2 });

        Assert.Equal((3 * 400, 3 * 400), (total.WarmUp!.Operations, total.WarmUp.Completed));
        Assert.True(Assert.Single(total.WarmUp.Stalls).AtMs > 2 * 400 / 4, $"{total.WarmUp.Stalls[0]}");
    });

    [Fact]
    public Task Warm_up_of_the_load_runner_is_kept_apart_from_its_result() => RealTime.HoldsAsync(async () =>
    {
        var began = Stopwatch.GetTimestamp();
        var result = await Runs.OneAsync(Scenario.Create("cold", async context =>
        {
            var isWarmUp = context.ScenarioInfo.ScenarioOperation == ScenarioOperation.WarmUp;
            var left = Frozen - Stopwatch.GetElapsedTime(began);
            await Task.Delay(
                isWarmUp && context.IterationNumber > 20 && left > TimeSpan.Zero ? left : TimeSpan.FromMilliseconds(4));
            return isWarmUp && context.IterationNumber == 5 ? Response.Fail("500", "cold") : Response.Ok();
        }).WithWarmUpDuration(TimeSpan.FromSeconds(1))
        .WithLoadSimulations(Simulation.KeepConstant(2, TimeSpan.FromSeconds(0.5))));

        Assert.Equal((0, 0), (result.Fail.Count, result.Errors.Count));
        Assert.Equal(new ErrorResult("500", "cold", 1), Assert.Single(result.WarmUp!.Errors));
        Assert.Contains(result.WarmUp.Stalls, stall => stall.DurationMs > 900);
        Assert.DoesNotContain(result.Stalls, stall => stall.DurationMs > 900);
        Assert.Null(result.WarmUp.WarmUp);
    });

    private static async Task<ScenarioResult> MeasureAsync(FrozenScenario scenario) =>
        (await MeasurementPipeline.RunAsync(
        _ => Task.FromResult(new Arrangement(new SoakTests.IdleSystem(), [scenario], [])), Cancel)).Total;

    /// <summary>One of its warm-ups stalls in the middle for all operations in flight or beginning.</summary>
    private sealed class FrozenScenario(LoadSimulation warmUp) : SoakTests.SteadyScenario(TimeSpan.FromSeconds(0.5))
    {
        private readonly TaskCompletionSource _thawed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _repeated;
        private int _isFrozen;

        /// <summary>Which of the warm-ups stands still, from 0.</summary>
        public required int Freezes { get; init; }

        public int Repeats { get; init; } = 1;

        public override IReadOnlyList<LoadSimulation> WarmUp => [warmUp];

        public override async Task WarmUpAsync(Func<Task> loadAsync)
        {
            for (; _repeated < Repeats; _repeated++)
            {
                await loadAsync();
            }
        }

        public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
        {
            if (Batch is null && _repeated == Freezes && context.IterationNumber >= 20)
            {
                if (Interlocked.Exchange(ref _isFrozen, 1) == 0)
                {
                    _ = ThawAsync();
                }

                await _thawed.Task;
            }

            return await base.RunAsync(context, batch);
        }

        private async Task ThawAsync()
        {
            await Task.Delay(Frozen, CancellationToken.None);
            _thawed.SetResult();
        }
    }
}
