using IntegrationTests.Shared.Backends;
using PerformanceTesting.Measurement;
using PerformanceTesting.Subjects;

namespace PerformanceTests.Tiers;

/// <summary>One, two and four nodes on one backend. One node is the measure for the others.</summary>
public sealed class NodesTests(RunFixture run) : TierTests(run)
{
    /// <summary>Backends outside the service's process, with the number of nodes.</summary>
    public static TheoryData<string, int> Clusters { get; } =
        [.. from profile in Profiles where profile.Data != "memory" from nodes in new[] { 1, 2, 4 } select (profile.Data, nodes)];

    [Theory]
    [MemberData(nameof(Clusters))]
    [Trait(TierNames.Trait, TierNames.Nightly)]
    public Task Signal_roundtrip_nodes(string profile, int nodes) =>
        RunAsync(SignalRoundTripNodesScenario.Of(nodes, Variables.Size), profile, HostingKind.Http);

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Two_nodes_share_the_work_and_hand_each_other_what_is_not_theirs()
    {
        await Catalog.RequireOrSkipAsync("postgres", Cancel);
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [SignalRoundTripNodesScenario.Of(2, ScenarioSize.Seed)],
            Backend = await Catalog.OpenAsync("postgres", Cancel),
            Hosting = HostingKind.Http,
            Definitions = PerformanceTesting.PerformanceRun.Definitions,
        };

        // Not by way of a tier: what a busy machine makes inconclusive is an account all the same.
        var result = (await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel)).Total;

        Assert.Equal((400, 400, true), (result.Ledger!.Started, result.Ledger.Completed, result.Ledger.Balanced));
        Assert.Contains(result.Notes, note => note.StartsWith("2 web services", StringComparison.Ordinal));
        Assert.Contains("between nodes", result.Validity!.Checks.Single(c => c.Name == "littlesLaw").Reason, StringComparison.Ordinal);
        Assert.True(result.Resources!.Service!["cpuSeconds"] > 0, "The processor time of both nodes was not read.");
    }

    [Theory]
    [InlineData("memory", HostingKind.Http, "lives within one process")]
    [InlineData("memory", HostingKind.InProcess, "was to run in process")]
    [Trait(TierNames.Trait, TierNames.Calibration)]
    public async Task Nodes_that_share_nothing_are_refused_with_the_reason(string profile, HostingKind hosting, string reason)
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(
            () => RunAsync(SignalRoundTripNodesScenario.Of(2, ScenarioSize.Seed), profile, hosting));

        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
    }
}
