using IntegrationTests.Shared.Faults;
using LoadTesting.Core.Load;
using PerformanceTesting.Backends;
using PerformanceTesting.Subjects;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Workflow.Stores.Memory;
using Xunit;

namespace PerformanceTests.Calibration;

/// <summary>A store that refuses one instance's changes alone: that operation, and no other, is a dead letter in the run's ledger.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class DeadLetterLedgerTests
{
    private const int Operations = 40;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Operation_that_became_a_dead_letter_is_counted_as_such_and_the_ledger_balances()
    {
        Guid? poisoned = null;
        var store = new FaultyStore(new InMemoryStore()) { IsPoison = row => row.Revision > 1 && (poisoned ??= row.Id) == row.Id };
        var scenario = new OutageScenario(Operations, completionTimeout: TimeSpan.FromSeconds(2));
        scenario.ServerIsBack();
        await using var subject = await InProcessSubject.StartAsync(BackendProfile.Memory, store, lanes: 1, receivers: [], Cancel);
        await subject.RegisterAsync(await scenario.ReadDefinitionAsync(Cancel), Cancel);
        var before = await subject.CountAsync(Cancel);

        var wave = ScenarioRunner.WaveOf(scenario, subject, Operations, TimeSpan.Zero);
        var load = await ScenarioRunner.DriveAsync(scenario, subject, wave, [Simulation.IterationsForConstant(scenario.Concurrency, Operations)], Cancel);
        var counts = (await subject.CountAsync(Cancel)).Since(before);
        var ledger = ScenarioReport.LedgerOf(scenario, subject, load.Scenarios[0], wave, counts, Operations);

        Assert.Empty(ledger.Violations());
        Assert.Equal((Operations, Operations - 1, 1, 0, 0), (ledger.Started, ledger.Completed, ledger.DeadLettered, ledger.Waiting, ledger.Stuck));
        Assert.Equal((1, 1, 0), (counts.DeadLetters, counts.DeadSignals, counts.Buffered));
        Assert.Equal(counts.Signals, counts.SignalsConsumed + counts.SignalsExpired + counts.DeadSignals);
    }
}
