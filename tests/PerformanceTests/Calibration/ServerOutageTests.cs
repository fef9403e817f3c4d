using PerformanceTesting.Backends.PostgreSql;
using Workflow.Contracts.Instances;
using Workflow.Stores.PostgreSql;

namespace PerformanceTests.Calibration;

/// <summary>
/// PostgreSQL is stopped like a crash and started again in the middle of a scenario: every start that was acknowledged
/// completes, and each operation that was asked for is in one place of the run's ledger. One that stands still while
/// the system warms up is named too.
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
            binaries is null,
            "The server is an external one, and no installed binaries were found to start "
                + "another that may be stopped.");
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
            await Server.Host.StartAgainAsync(Cancel);
        });

        Assert.Empty(ledger.Violations());
        Assert.Equal((Operations, Operations, Operations), (ledger.Requested, ledger.Started, ledger.Completed));
        Assert.True(ledger.RuntimeConflicts > 0, "no flush failed: the server was not missed");
        left.AssertAcknowledgedAreCompleted(scenario, unknown: 0);
    }

    [Fact]
    public async Task Acknowledged_operations_complete_after_a_reported_outage()
    {
        var scenario = new OutageScenario(Operations, LongestWait) { StartsWhileGone = true };

        var (ledger, left) = await RunAsync(scenario, TimeSpan.FromMilliseconds(100), async subject =>
        {
            await Server.StopImmediateAsync(Cancel);
            scenario.ServerIsGone();
            await scenario.Failed.WaitAsync(LongestWait, Cancel);
            await Server.Host.StartAgainAsync(Cancel);

            // Clients come back when the service takes commands again, in whichever lane.
            await Task.WhenAll(
                Enumerable.Range(0, 16).Select(i => OutageScenario.SendUntilTakenAsync(subject, $"probe {i}", Cancel)));
        });

        Assert.Empty(ledger.Violations());
        Assert.Equal(Operations, ledger.Requested);
        Assert.Equal(ledger.Started, ledger.Completed);
        Assert.InRange(ledger.Unknown + ledger.Refused, 1, Operations / 2);
        Assert.Equal(0, ledger.Dropped);
        left.AssertAcknowledgedAreCompleted(scenario, ledger.Unknown);
    }

    [Fact]
    public async Task Server_that_stands_still_in_the_warm_up_is_a_reason() => await RealTime.HoldsAsync(async () =>
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only there are the processes of the server found and stopped.");
        var scenario = new FrozenWarmUp(Server.Host.ProcessId!.Value);

        var total = (await MeasurementPipeline.RunAsync(
            async token =>
            {
                var store =
                    new PostgresStore(new() { ConnectionString = await Server.CreateDatabaseAsync("frozen", token) });
                var subject = await InProcessSubject.StartAsync("postgres", store, lanes: 8, receivers: [], token);
                await scenario.AttachAsync(subject, token);
                return new Arrangement(subject, [scenario], []);
            },
            Cancel)).Total;

        TestContext.Current.TestOutputHelper?.WriteLine($"{total.Verdict.Outcome}: {string.Join(" | ", total.Verdict.Reasons)}");
        Assert.NotEqual(VerdictOutcome.Passed, total.Verdict.Outcome);
        Assert.Contains(total.Verdict.Reasons,
            reason => reason.Contains("in the warm-up: stall: nothing", StringComparison.Ordinal));

        // A busy machine may explain it too; what decides that is tested with the stalls.
        Assert.NotEqual(StallCause.Generator, total.WarmUp!.Stalls.Single().Cause);
        Assert.Equal((128, 128, 0), (total.WarmUp.Operations, total.WarmUp.Completed, total.WarmUp.Errors.Count));
        Assert.DoesNotContain(total.Stalls!, stall => stall.DurationMs >= 1_000);
        Assert.Equal((scenario.Operations, scenario.Operations), (total.Ledger!.Started, total.Ledger.Completed));
    });

    /// <summary>
    /// Measures the scenario as every run is measured; the outage begins once a quarter of it has been acknowledged.
    /// </summary>
    private async Task<(LedgerResult Ledger, InstancesLeft Left)> RunAsync(
        OutageScenario scenario, TimeSpan tolerance, Func<WorkflowSubject, Task> outage)
    {
        var arranged = new TaskCompletionSource<InProcessSubject>(TaskCreationOptions.RunContinuationsAsynchronously);
        InstancesLeft? left = null;
        var running = MeasurementPipeline.RunAsync(
            async token =>
            {
                var store =
                    new PostgresStore(new() { ConnectionString = await Server.CreateDatabaseAsync("outage", token) });
                var subject =
                    await InProcessSubject.StartAsync("postgres", store, lanes: 2, receivers: [], token, tolerance);
                left = new InstancesLeft(subject);
                await scenario.AttachAsync(subject, token);
                arranged.SetResult(subject);
                var audit = new StoreAuditObserver(subject, database: null);
                return new Arrangement(
                    subject, [scenario], [left, audit, new ServiceAccount(subject, startsInstances: true, audit)]);
            },
            Cancel);
        await Task.WhenAny(running, scenario.QuarterDone.WaitAsync(LongestWait, Cancel));
        await outage(await arranged.Task.WaitAsync(LongestWait, Cancel));
        scenario.ServerIsBack();
        return ((await running).Total.Ledger!, left!);
    }

    /// <summary>The parallel round trip; the server stands still for 1.5 s while it warms up.</summary>
    private sealed class FrozenWarmUp(int server)
        : SignalRoundTripBatchScenario(
            new ScenarioVariant("frozen-warm-up", TierNames.Throughput, 96, 16) { SignalWorkers = 8 })
    {
        private static readonly TimeSpan StandsStill = TimeSpan.FromSeconds(1.5);
        private int _isFrozen;

        public override string Question => "Is a server that stood still in the warm-up named?";

        public override int WarmUpOperations => 128;

        public override async Task<IResponse> RunAsync(
            IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
        {
            if (batch.Size == WarmUpOperations && context.IterationNumber == WarmUpOperations / 2
                && Interlocked.Exchange(ref _isFrozen, 1) == 0)
            {
                var goOn = await StandStill.BeginAsync(server);
                _ = GoOnAsync(goOn);
            }

            return await base.RunAsync(context, batch, subject);
        }

        private static async Task GoOnAsync(Func<Task> goOn)
        {
            await Task.Delay(StandsStill, CancellationToken.None);
            await goOn();
        }
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

        public void AddTo(RunEvidence evidence)
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        public void AssertAcknowledgedAreCompleted(OutageScenario scenario, long unknown)
        {
            Assert.Empty(scenario.Acknowledged.Except(_completed.Select(i => i.CorrelationKey!)));
            Assert.Equal(_completed.Count, _completed.Select(i => i.CorrelationKey).Distinct().Count());
            Assert.InRange(_live, 0, unknown);
        }
    }
}
