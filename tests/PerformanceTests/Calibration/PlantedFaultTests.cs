namespace PerformanceTests.Calibration;

/// <summary>A run whose system does wrong on purpose must not pass, and its verdict names what was wrong.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class PlantedFaultTests(RunFixture run)
{
    /// <summary>Every operation completes; the extra instance waits for a signal that is never sent.</summary>
    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("postgres", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    [InlineData("postgres", HostingKind.Http)]
    public async Task Doubled_start_that_parks_fails_the_run(string profile, HostingKind hosting)
    {
        var total = (await MeasureAsync("leak", profile, hosting)).Total;

        Assert.Equal(VerdictOutcome.Failed, total.Verdict.Outcome);
        Assert.Equal((24, 24, 1), (total.Ledger!.Started, total.Ledger.Completed, total.Ledger.Waiting));
        Assert.False(total.Ledger.Balanced);
        Assert.Contains(total.Verdict.Reasons, reason => reason.Contains(
            "the service took 25 instances for 24 operations that the client started", StringComparison.Ordinal));
        Assert.Equal(CheckOutcome.Passed, Check(total, "storedOnce"));
    }

    [Theory]
    [InlineData("memory", HostingKind.InProcess)]
    [InlineData("memory", HostingKind.Http)]
    public async Task Without_a_fault_service_store_and_client_agree(string profile, HostingKind hosting)
    {
        var total = (await MeasureAsync(injection: null, profile, hosting)).Total;

        Assert.Equal(24, total.Ledger!.Completed);
        Assert.All(["startedOnce", "completedOnce", "storedOnce"],
            name => Assert.Equal(CheckOutcome.Passed, Check(total, name)));
    }

    private static CheckOutcome Check(ScenarioResult result, string name) =>
        result.Validity!.Checks.Single(check => check.Name == name).Outcome;

    private async Task<MeasuredRun> MeasureAsync(string? injection, string profile, HostingKind hosting)
    {
        await run.Catalog.RequireOrSkipAsync(profile, Cancel);
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [new FaultedScenario()],
            Backend = await run.Catalog.OpenAsync(profile, Cancel),
            Hosting = hosting,
            Injection = injection is null ? null : Injection.Parse(injection),
        };
        return await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel);
    }

    /// <summary>The round trip, as one batch.</summary>
    private sealed class FaultedScenario()
        : SignalRoundTripBatchScenario(
            new ScenarioVariant("faulted", TierNames.Calibration, Operations: 24, Concurrency: 4))
    {
        public override string Question => "Is the fault named that was planted?";
    }
}
