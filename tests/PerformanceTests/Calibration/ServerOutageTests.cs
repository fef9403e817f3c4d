using IntegrationTests.Shared.Backends;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Subjects;
using PerformanceTests.Running;
using PerformanceTests.Scenarios;
using Workflow.Contracts.Instances;
using Workflow.Stores.PostgreSql;
using Xunit;

namespace PerformanceTests.Calibration;

/// <summary>
/// PostgreSQL is stopped like a crash and started again in the middle of a scenario: every start that was acknowledged completes, and each
/// operation that was asked for is in one place of the run's ledger.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class ServerOutageTests(BackendFixture backends) : IAsyncLifetime
{
    private const int Operations = 400;
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(2);

    private NativePostgresServer? _own;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private NativePostgresServer Server => _own ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        await backends.Catalog.RequireOrSkipAsync(BackendProfile.Postgres, Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(binaries is null, "The server is an external one, and no installed binaries were found to start another that may be stopped.");
        _own = await NativePostgresServer.StartAsync(binaries, cancellationToken: Cancel);
    }

    public async ValueTask DisposeAsync()
    {
        if (_own is not null)
        {
            await _own.DisposeAsync();
        }
    }

    [Fact]
    public async Task Outage_that_is_tolerated_delays_operations_and_refuses_none()
    {
        var scenario = new OutageScenario(Operations, LongestWait);
        await using var subject = await StartAsync(scenario, LongestWait);

        var ledger = await RunAsync(scenario, subject, async () =>
        {
            await Server.StopImmediateAsync(Cancel);
            await Server.StartAgainAsync(Cancel);
        });

        Assert.Empty(ledger.Violations());
        Assert.Equal((Operations, Operations, Operations), (ledger.Requested, ledger.Started, ledger.Completed));
        Assert.True(ledger.RuntimeConflicts > 0, "no flush failed: the server was not missed");
        await AssertAcknowledgedAreCompletedAsync(scenario, subject, unknown: 0);
    }

    [Fact]
    public async Task Outage_that_is_not_tolerated_is_told_and_counted_and_what_was_acknowledged_completes()
    {
        var scenario = new OutageScenario(Operations, LongestWait);
        await using var subject = await StartAsync(scenario, TimeSpan.FromMilliseconds(100));

        var ledger = await RunAsync(scenario, subject, async () =>
        {
            await Server.StopImmediateAsync(Cancel);
            await scenario.Failed.WaitAsync(LongestWait, Cancel);
            await Server.StartAgainAsync(Cancel);

            // Clients come back when the service takes commands again, in whichever lane.
            await Task.WhenAll(Enumerable.Range(0, 16).Select(i => OutageScenario.SendUntilTakenAsync(subject, $"probe {i}", Cancel)));
        });

        Assert.Empty(ledger.Violations());
        Assert.Equal(Operations, ledger.Requested);
        Assert.Equal(ledger.Started, ledger.Completed);
        Assert.InRange(ledger.Unknown + ledger.Refused, 1, Operations / 2);
        Assert.Equal(0, ledger.Dropped);
        await AssertAcknowledgedAreCompletedAsync(scenario, subject, ledger.Unknown);
    }

    private async Task<WorkflowSubject> StartAsync(OutageScenario scenario, TimeSpan tolerance)
    {
        var store = new PostgresStore(new() { ConnectionString = await Server.CreateDatabaseAsync("outage", Cancel) });
        var subject = await InProcessSubject.StartAsync(BackendProfile.Postgres, store, lanes: 2, receivers: [], Cancel, tolerance);
        await subject.RegisterAsync(await scenario.ReadDefinitionAsync(Cancel), Cancel);
        return subject;
    }

    /// <summary>Drives the scenario as every run is driven; the outage begins once a quarter of it has been acknowledged.</summary>
    private static async Task<LedgerResult> RunAsync(OutageScenario scenario, WorkflowSubject subject, Func<Task> outage)
    {
        var wave = ScenarioRunner.WaveOf(scenario, subject, Operations, TimeSpan.Zero);
        var before = await subject.CountAsync(Cancel);
        var running = ScenarioRunner.DriveAsync(scenario, subject, wave, [Simulation.IterationsForConstant(scenario.Concurrency, Operations)], Cancel);
        await scenario.QuarterDone.WaitAsync(LongestWait, Cancel);
        await outage();
        scenario.ServerIsBack();
        var load = await running;
        var counts = (await subject.CountAsync(Cancel)).Since(before);
        return ScenarioReport.LedgerOf(scenario, subject, load.Scenarios[0], wave, counts, Operations);
    }

    private static async Task AssertAcknowledgedAreCompletedAsync(OutageScenario scenario, WorkflowSubject subject, long unknown)
    {
        var completed = new List<InstanceView>();
        Guid? after = null;
        do
        {
            var page = await subject.ListAsync(InstanceState.Completed, after, Cancel);
            completed.AddRange(page.Items);
            after = page.Next;
        }
        while (after is not null);

        Assert.Empty(scenario.Acknowledged.Except(completed.Select(i => i.CorrelationKey!)));
        Assert.Equal(completed.Count, completed.Select(i => i.CorrelationKey).Distinct().Count());
        Assert.InRange((await subject.ListLiveAsync(Cancel)).Count, 0, unknown);
    }
}
