namespace PerformanceTests.Calibration;

/// <summary>
/// A consumer of PaymentSettled that is slow must show up in the step that it delays, payment_completed, and in no
/// other.
/// </summary>
public sealed class SlowSettlementTests(RunFixture run)
{
    /// <summary>
    /// Medians of the other steps may differ by this share of the smallest delay: a machine that others use is not the
    /// same twice.
    /// </summary>
    private const double Tolerance = 0.1;

    private static readonly PaymentVariant Short =
        PaymentVariant.PerSecond("payment-journey-twin", TierNames.Calibration, 10, 2);

    [Fact]
    [Trait(TierNames.Trait, TierNames.Calibration)]
    public Task Consumer_of_half_a_second_delays_completion_alone() => RealTime.HoldsAsync(async () =>
    {
        var twin = await MeasureAsync(new PaymentJourneyScenario(Short));
        var slow = await MeasureAsync(
            new PaymentJourneyScenario(
                Short) { SettledDelay = (TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.9)) });

        OnlyCompletionIsSlower(slow, twin, minimumMs: 500, maximumMs: 900);
    });

    [Theory]
    [MemberData(nameof(RunFixture.PaymentProfiles), MemberType = typeof(RunFixture))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public async Task Consumer_of_five_to_nine_seconds_delays_completion_alone(string profile)
    {
        run.SkipUnlessPublishedSize();
        var variant = PaymentJourneyScenario.Nightly;
        var delay = (TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(9));
        var twin = await run.MeasureAsync(
            new PaymentJourneyScenario(
                variant with { Name = "payment-journey-twin", During = TimeSpan.FromSeconds(10) }), profile);
        var slow = await run.MeasureAsync(
            new PaymentJourneyScenario(
                variant with { Name = "payment-journey-slow-settlement" }) { SettledDelay = delay }, profile);

        OnlyCompletionIsSlower(slow, twin, minimumMs: 5_000, maximumMs: 9_000);
    }

    private static void OnlyCompletionIsSlower(
        ScenarioResult slow, ScenarioResult twin, double minimumMs, double maximumMs)
    {
        Assert.True(slow.Verdict.Outcome != VerdictOutcome.Failed, string.Join(" ", slow.Verdict.Reasons));
        Assert.Equal(slow.Operations, slow.Phases[PaymentStepNames.Completed].N);
        var room = minimumMs * Tolerance;
        foreach (var (step, latency) in slow.Phases)
        {
            var (p50, twinP50) = (latency.P50Ms!.Value, twin.Phases[step].P50Ms!.Value);
            TestContext.Current.TestOutputHelper?.WriteLine($"{step}: p50 {p50:0.0} ms, twin {twinP50:0.0} ms");
            var isSlow = step == PaymentStepNames.Completed;
            var due = isSlow ? $"{minimumMs} to {maximumMs} ms" : $"at most {room} ms apart";
            Assert.True(
                isSlow ? p50 >= minimumMs && p50 <= maximumMs + room : Math.Abs(p50 - twinP50) <= room,
                $"The median of {step} is {p50:0.0} ms with a slow consumer and {twinP50:0.0} ms without; due: {due}.");
        }
    }

    private async Task<ScenarioResult> MeasureAsync(PaymentScenario scenario)
    {
        var cancel = Cancel;
        var arrangement =
            new PaymentArrangement { Scenario = scenario, Backend = await run.Catalog.OpenAsync("memory", cancel) };
        return (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, cancel)).Total;
    }
}
