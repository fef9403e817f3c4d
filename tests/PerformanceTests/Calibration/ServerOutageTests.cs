using PerformanceTesting.Backends.PostgreSql;
using Workflow.Contracts.Instances;
using Workflow.Stores.PostgreSql;

namespace PerformanceTests.Calibration;

/// <summary>
/// PostgreSQL is stopped like a crash and started again in the middle of a scenario: every start that was acknowledged completes, and each
/// operation that was asked for is in one place of the run's ledger.
/// </summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed class ServerOutageTests(RunFixture run) : IAsyncLifetime
{
    private const int Operations = 400;
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(2);

    private PostgresServer? _own;

    private PostgresServer Server => _own ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        await run.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(
            binaries is null, "The server is an external one, and no installed binaries were found to start another that may be stopped.");
        _own = await PostgresServer.StartNativeAsync(binaries, cancellationToken: Cancel);
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
        var scenario = new OutageScenario(Operations, LongestWait) { StartsWhileGone = true };

        var (ledger, left) = await RunAsync(scenario, LongestWait, async _ =>
        {
            await Server.StopImmediateAsync(Cancel);
            scenario.ServerIsGone();
            await Server.StartAgainAsync(Cancel);
        });

        Assert.Empty(ledger.Violations());
        Assert.Equal((Operations, Operations, Operations), (ledger.Requested, ledger.Started, ledger.Completed));
        Assert.True(ledger.RuntimeConflicts > 0, "no flush failed: the server was not missed");
        left.AssertAcknowledgedAreCompleted(scenario, unknown: 0);
    }

    [Fact]
    public async Task Outage_that_is_not_tolerated_is_reported_and_counted_and_what_was_acknowledged_completes()
    {
        var scenario = new OutageScenario(Operations, LongestWait) { StartsWhileGone = true };

        var (ledger, left) = await RunAsync(scenario, TimeSpan.FromMilliseconds(100), async subject =>
        {
            await Server.StopImmediateAsync(Cancel);
            scenario.ServerIsGone();
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
        left.AssertAcknowledgedAreCompleted(scenario, ledger.Unknown);
    }

    /// <summary>Measures the scenario as every run is measured; the outage begins once a quarter of it has been acknowledged.</summary>
    private async Task<(LedgerResult Ledger, InstancesLeft Left)> RunAsync(
        OutageScenario scenario, TimeSpan tolerance, Func<WorkflowSubject, Task> outage)
    {
        var arranged = new TaskCompletionSource<InProcessSubject>(TaskCreationOptions.RunContinuationsAsynchronously);
        InstancesLeft? left = null;
        var running = MeasurementPipeline.RunAsync(
            async token =>
            {
                var store = new PostgresStore(new() { ConnectionString = await Server.CreateDatabaseAsync("outage", token) });
                var subject = await InProcessSubject.StartAsync("postgres", store, lanes: 2, receivers: [], token, tolerance);
                left = new InstancesLeft(subject);
                var measured = await scenario.OnAsync(subject, token);
                arranged.SetResult(subject);
                var audit = new StoreAuditObserver(subject, database: null);
                return new Arrangement(subject, [measured], [left, audit, new ServiceAccount(subject, startsInstances: true, audit)]);
            },
            Cancel);
        await Task.WhenAny(running, scenario.QuarterDone.WaitAsync(LongestWait, Cancel));
        await outage(await arranged.Task.WaitAsync(LongestWait, Cancel));
        scenario.ServerIsBack();
        return ((await running).Total.Ledger!, left!);
    }

    /// <summary>The instances that the service knows when the load is over.</summary>
    private sealed class InstancesLeft(WorkflowSubject subject) : IRunObserver
    {
        private readonly List<InstanceView> _completed = [];
        private int _live;

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            Guid? after = null;
            do
            {
                var page = await subject.ListAsync(InstanceState.Completed, after, cancellationToken);
                _completed.AddRange(page.Items);
                after = page.Next;
            }
            while (after is not null);
            _live = (await subject.ListLiveAsync(cancellationToken)).Count;
        }

        public ScenarioResult AddTo(ScenarioResult result, RunEvidence evidence) => result;

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        public void AssertAcknowledgedAreCompleted(OutageScenario scenario, long unknown)
        {
            Assert.Empty(scenario.Acknowledged.Except(_completed.Select(i => i.CorrelationKey!)));
            Assert.Equal(_completed.Count, _completed.Select(i => i.CorrelationKey).Distinct().Count());
            Assert.InRange(_live, 0, unknown);
        }
    }
}
