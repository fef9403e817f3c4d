using Workflow.Engine.InMemory;

namespace PerformanceTests.Calibration;

/// <summary>
/// A store that refuses one instance's changes alone: that operation, and no other, is a dead letter in the run's
/// ledger.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class DeadLetterLedgerTests
{
    private const int Operations = 40;

    [Fact]
    public Task Dead_letter_is_counted_and_the_ledger_balances() => RealTime.HoldsAsync(async () =>
    {
        Guid? poisoned = null;
        var store = new FaultyStore(
            new InMemoryStore()) { IsPoison = row => row.Revision > 1 && (poisoned ??= row.Id) == row.Id };
        var scenario = new OutageScenario(Operations, completionTimeout: TimeSpan.FromSeconds(2));
        scenario.ServerIsBack();
        ServiceAccount? account = null;

        var run = await MeasurementPipeline.RunAsync(
            async token =>
            {
                var subject = await InProcessSubject.StartAsync("memory", store, lanes: 1, receivers: [], token);
                var audit = new StoreAuditObserver(subject, database: null);
                account = new ServiceAccount(subject, startsInstances: true, audit);
                await scenario.AttachAsync(subject, token);
                return new Arrangement(subject, [scenario], [audit, account]);
            },
            Cancel);
        var (ledger, counts) = (run.Total.Ledger!, account!.Counted);

        Assert.Empty(ledger.Violations());
        Assert.Equal(
            (Operations, Operations - 1, 1, 0, 0),
            (ledger.Started, ledger.Completed, ledger.DeadLettered, ledger.Waiting, ledger.Stuck));
        Assert.Equal((1, 1, 0), (counts.DeadLetters, counts.DeadSignals, counts.BufferedSignals));
        Assert.Equal(counts.Signals, counts.SignalsConsumed + counts.SignalsExpired + counts.DeadSignals);
    });
}
