using Workflow.Engine.Configuration;

namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip on several nodes: each instance starts at one node, its signal enters at the next, and the lane of
/// the key may belong to any of them. With notifications over Redis beside those of the database, it shows what they
/// gain.
/// </summary>
/// <remarks>
/// Where a node leaves, 100 operations begin in a second, whether or not others have ended, so that each that waits for
/// a lane without an owner counts with the time it waits.
/// </remarks>
public sealed class SignalRoundTripNodesScenario(
    ScenarioVariant variant, int nodes, NodeChange change = NodeChange.None)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    private const int Rate = 100;
    private static readonly ClusterOptions Settings = new();

    /// <summary>
    /// The longest that a lane of a killed node may be without a completion: 3 s, its lease (2 s) and two renewal
    /// intervals (0.5 s each). Up to a whole lease is left at the kill. One interval is for the other node to see that
    /// it is over, for it may have looked just before; the other is for it to load the lane and read its inbox, and for
    /// an operation's start, signal and completion.
    /// </summary>
    public static TimeSpan LongestTakeover { get; } = Settings.Lease + (2 * Settings.RenewalInterval);

    public override string Question => change switch
    {
        NodeChange.Killed => $"What do clients notice when one of {nodes} nodes is killed "
            + "under load, and a new one joins?",
        NodeChange.Drained => $"What do clients notice when one of {nodes} nodes is stopped in order "
            + "under load, and a new one joins?",
        _ when nodes == 1 =>
            "How many workflows does one node carry in a second over HTTP, to compare several nodes with?",
        _ => $"How many workflows do {nodes} nodes on one backend carry in a second, "
            + "when clients do not know who owns a key?",
    };

    public override int Nodes => nodes;

    public override NodeChange NodeChange => change;

    /// <summary>12 s, and a minute at full size, where a node leaves.</summary>
    public override TimeSpan? Duration =>
        change == NodeChange.None ? null : TimeSpan.FromSeconds(Operations / (double)Rate);

    public override int? RatePerSecond => change == NodeChange.None ? null : Rate;

    public override BatchShape Shape => BatchShape.Continuous;

    public override IReadOnlyList<string> Phases =>
        change == NodeChange.Killed ? [.. base.Phases, PhaseNames.Takeover] : base.Phases;

    /// <summary>A takeover has a limit of its own; every other pause is a stall, and judged as in any run.</summary>
    public override IReadOnlyList<Threshold> Thresholds => change == NodeChange.Killed
        ? [.. base.Thresholds,
            Threshold.AtMost("maxMs", LongestTakeover.TotalMilliseconds, stepName: PhaseNames.Takeover)]
        : base.Thresholds;

    public override IReadOnlyList<string> Remarks =>
        [$"{Quantity.Of(nodes, "web service")}, on the same machine as the generator and the database."];

    /// <summary>One, two and four nodes, and two of which one leaves.</summary>
    public static IEnumerable<SignalRoundTripNodesScenario> All(ScenarioSize size) =>
    [
        Of(1, size), Of(2, size), Of(4, size), Of(2, NodeChange.Killed, size), Of(2, NodeChange.Drained, size),
    ];

    /// <summary>Sixteen copies on a number of nodes, with eight lanes between them.</summary>
    public static SignalRoundTripNodesScenario Of(int nodes, ScenarioSize size) => new(
        new ScenarioVariant($"signal-roundtrip-nodes-{nodes}", TierNames.Nightly, 400, 16)
            { SignalWorkers = 8, FullSizeOperations = 8_000 }
            .At(size), nodes);

    /// <summary>On a number of nodes, one of which leaves.</summary>
    public static SignalRoundTripNodesScenario Of(int nodes, NodeChange change, ScenarioSize size) => new(
        new ScenarioVariant(
            $"signal-roundtrip-nodes-{nodes}-{(change == NodeChange.Killed ? "killed" : "drained")}", TierNames.Nightly,
            12 * Rate, 16)
        {
            SignalWorkers = 8, FullSizeOperations = 60 * Rate,
        }.At(size), nodes, change);
}
