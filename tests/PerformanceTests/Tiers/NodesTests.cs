using Npgsql;
using Workflow.Stores.PostgreSql;

namespace PerformanceTests.Tiers;

/// <summary>One, two and four nodes on one backend. One node is the measure for the others.</summary>
public sealed class NodesTests(RunFixture run)
{
    /// <summary>Backends outside the service's process, with the number of nodes.</summary>
    public static TheoryData<string, int> Clusters { get; } =
    [
        .. from profile in RunFixture.Profiles where profile.Data != "memory"
           from nodes in new[] { 1, 2, 4 } select (profile.Data, nodes),
    ];

    [Theory]
    [MemberData(nameof(Clusters))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public Task Signal_roundtrip_nodes(string profile, int nodes) =>
        run.MeasureAsync(SignalRoundTripNodesScenario.Of(nodes, run.Variables.Size), profile, HostingKind.Http);

    /// <summary>Two nodes, one of which is killed, or stopped in order.</summary>
    public static TheoryData<string, NodeChange> Changes { get; } =
    [
        .. from profile in RunFixture.Profiles where profile.Data != "memory"
           from change in new[] { NodeChange.Killed, NodeChange.Drained } select (profile.Data, change),
    ];

    [Theory]
    [MemberData(nameof(Changes))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public Task Signal_roundtrip_nodes_one_of_which_leaves(string profile, NodeChange change) =>
        run.MeasureAsync(SignalRoundTripNodesScenario.Of(2, change, run.Variables.Size), profile, HostingKind.Http);

    /// <summary>
    /// The counters of a node that was killed are gone, and the client has seen every completion: only the store can
    /// show that an acknowledged start is not in it. One is taken out of it, and the run fails by nothing else.
    /// </summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Node_that_is_killed_under_load_loses_and_doubles_nothing() =>
        AssertLosesNothingAsync(NodeChange.Killed, lacking: 1);

    [Fact]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public Task Node_that_is_drained_under_load_loses_and_doubles_nothing() =>
        AssertLosesNothingAsync(NodeChange.Drained, lacking: 0);

    private async Task AssertLosesNothingAsync(NodeChange change, int lacking)
    {
        // 9 s: as long as a lane may be without a completion on two nodes, on the one that is left, and on the one that
        // joins it.
        const int Operations = 900;
        var variant =
            new ScenarioVariant("signal-roundtrip-nodes-2", TierNames.Nightly, Operations, 16) { SignalWorkers = 8 };
        var result = await MeasureAsync(
            new SignalRoundTripNodesScenario(variant, 2, change),
            database => lacking == 0 ? [] : [new LossOfOneInstance(database.ConnectionString!)]);

        var gained = $"the store gained {Operations - lacking} instances for {Operations} "
            + "operations that the client started";
        var failed =
            result.Validity!.Checks.Where(check => check.Outcome == CheckOutcome.Failed && Verdicts.IsOfAccount(check));
        Assert.Equal(
            lacking == 0
                ? []
                : ["startedOnce: " + gained,
                    "completedOnce: the store gained 899 completed ones, and the client saw 900 complete"],
            failed.Select(check => $"{check.Name}: {check.Reason}"));
        Assert.Equal((Operations, Operations, 0, 0, true), (
            result.Ledger!.Started, result.Ledger.Completed, result.Ledger.Lost, result.Ledger.Duplicate,
            result.Ledger.Balanced));
        Assert.Empty(result.Errors!);
        Assert.Equal(gained, ReasonOf(result, "startedOnce"));
        Assert.True(
            lacking == 0 || result.Verdict.Outcome == VerdictOutcome.Failed, $"The run is {result.Verdict.Outcome}.");
        Assert.Equal(lacking == 1, result.Verdict.Reasons.Contains("startedOnce: " + gained));
        Assert.Contains("on purpose", ReasonOf(result, "steadyState"), StringComparison.Ordinal);
        Assert.Contains(result.Notes, note => note.StartsWith(
            change == NodeChange.Killed ? "node 2 was killed " : "node 2 was drained ", StringComparison.Ordinal));
        Assert.Contains(result.Notes, note => note.StartsWith("A new node was started ", StringComparison.Ordinal));
        var takeover = result.Phases.GetValueOrDefault(PhaseNames.Takeover);
        Assert.Equal(
            change == NodeChange.Killed ? [(takeover!.N, takeover.MaxMs)] : [],
            result.Thresholds!.Where(rule => rule.Metric == "takeover.maxMs").Select(rule => (rule.N, rule.Measured)));
        Assert.True(
            change == NodeChange.Drained || takeover!.MaxMs > 0, "No lane of the node that was killed was taken over.");
    }

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Two_nodes_share_the_work()
    {
        var result = await MeasureAsync(SignalRoundTripNodesScenario.Of(2, ScenarioSize.Seed), _ => []);

        Assert.Equal((400, 400, true), (result.Ledger!.Started, result.Ledger.Completed, result.Ledger.Balanced));
        Assert.Contains(result.Notes, note => note.StartsWith("2 web services", StringComparison.Ordinal));
        Assert.Contains("between nodes", result.Validity!.Checks.Single(c => c.Name == "littlesLaw").Reason,
            StringComparison.Ordinal);
        Assert.True(result.Resources!.Service!["cpuSeconds"] > 0, "The processor time of both nodes was not read.");
    }

    [Theory]
    [InlineData("memory", HostingKind.Http, "lives within one process")]
    [InlineData("memory", HostingKind.InProcess, "was to run in process")]
    [Trait(TierNames.Trait, TierNames.Calibration)]
    public async Task Nodes_that_share_nothing_are_refused_with_the_reason(
        string profile, HostingKind hosting, string reason)
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(
            () => run.MeasureAsync(SignalRoundTripNodesScenario.Of(2, ScenarioSize.Seed), profile, hosting));

        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
    }

    private static string ReasonOf(ScenarioResult result, string check) =>
        result.Validity!.Checks.Single(one => one.Name == check).Reason;

    /// <summary>Does not skip an inconclusive run: its account counts on a busy machine too.</summary>
    private async Task<ScenarioResult> MeasureAsync(
        WorkflowScenario scenario, Func<BackendDatabase, IReadOnlyList<IRunObserver>> others)
    {
        await run.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [scenario],
            Backend = await run.Catalog.OpenAsync("postgres", Cancel),
            Hosting = HostingKind.Http,
        };
        var measured = await MeasurementPipeline.RunAsync(
            async cancel =>
            {
                var arranged = await arrangement.ArrangeAsync(cancel);
                var database = arranged.Others.OfType<BackendDatabase>().Single();
                return arranged with { Observers = [.. arranged.Observers, .. others(database)] };
            },
            Cancel);
        return measured.Total;
    }

    /// <summary>Takes one finished instance out of the store, before anybody counts what is in it.</summary>
    private sealed class LossOfOneInstance(string connectionString) : IRunObserver
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            var schema = new PostgresStoreOptions { ConnectionString = connectionString }.Schema;
            await using var source =
                NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(connectionString) { SearchPath = schema });
            await using var command = source.CreateCommand(
                "delete from finished_instances where ctid = (select ctid from finished_instances limit 1)");
            Assert.Equal(1, await command.ExecuteNonQueryAsync(cancellationToken));
        }

        public void AddTo(RunEvidence evidence)
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
