namespace PerformanceTests.Calibration;

/// <summary>A target that takes a known time must be reported with that time.</summary>
[Trait("Category", "Calibration")]
public sealed class KnownDelayTests
{
    private const string Call = "call";

    private const double ToleranceMs = 2;

    private const long MinimumCount = 500;

    [Fact]
    public Task A_known_delay_is_reported_as_the_target_itself_stamps_it() => RealTime.HoldsAsync(async () =>
    {
        var (result, target) = await MeasureAsync(isClockRead: true);

        AgreeWithTheTarget(result, target);
    });

    [Fact]
    public async Task Without_reading_the_clock_at_the_end_the_same_check_fails()
    {
        var (result, target) = await MeasureAsync(isClockRead: false);

        var error = Assert.ThrowsAny<XunitException>(() => AgreeWithTheTarget(result, target));
        Assert.Contains("p50", error.Message, StringComparison.Ordinal);
    }

    private static void AgreeWithTheTarget(ScenarioStats result, LatencyHistogram target)
    {
        var step = result.Step(Call).Ok;
        Assert.InRange(step.Count, MinimumCount, long.MaxValue);
        Assert.Equal(target.Count, step.Count);
        var (measured, truth) = (step.Latency.PercentileMs(50), target.PercentileMs(50));
        TestContext.Current.TestOutputHelper?.WriteLine($"p50 {measured:0.000} ms, target {truth:0.000} ms, n {step.Count}");
        Assert.True(
            Math.Abs(measured - truth) <= ToleranceMs,
            $"p50 is {measured:0.00} ms, the target itself stamped {truth:0.00} ms: more than {ToleranceMs} ms apart "
                + $"over {step.Count} calls");
    }

    private static async Task<(ScenarioStats Result, LatencyHistogram Target)> MeasureAsync(bool isClockRead)
    {
        var stamps = new LatencyRecorder();
        var run = await QuietMeasurement.TakeAsync(jitterLimitMs: 5, () =>
        {
            stamps = new LatencyRecorder();
            var scenario = Scenario.Create("known-delay", async context =>
            {
                var start = Stopwatch.GetTimestamp();
                await Step.Run(Call, context, async () =>
                {
                    await DelayedTargetAsync(stamps, context.ScenarioCancellationToken);
                    return Response.Ok(endTimestamp: isClockRead ? null : start);
                });
                return Response.Ok();
            }).WithLoadSimulations(Simulation.Inject(400, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1.5)));
            return new LoadRunner().RunAsync([scenario], new LoadOptions(), Cancel);
        });
        return (run.Scenarios.Single(), stamps.Snapshot());
    }

    private static async Task DelayedTargetAsync(LatencyRecorder stamps, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromMilliseconds(20), cancellationToken);
        stamps.RecordStopwatchTicks(Stopwatch.GetTimestamp() - start);
    }
}
