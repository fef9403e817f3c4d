namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip on several nodes: each instance starts at one node, its signal enters at the next, and the lane of the key may belong to
/// any of them. With notifications over Redis beside those of the database, it shows what they gain.
/// </summary>
public sealed class SignalRoundTripNodesScenario(ScenarioVariant variant, int nodes)
    : RoundTripScenario(variant, "signal-roundtrip", "roundtrip")
{
    public override string Question => $"What do {nodes} nodes on one backend carry, when clients do not know who owns a key?";

    public override int Nodes => nodes;

    public override BatchShape Shape => BatchShape.Continuous;

    public override IReadOnlyList<string> Remarks => [$"{nodes} web services, on the same machine as the generator and the database."];

    /// <summary>Sixteen copies on so many nodes, with eight lanes between them.</summary>
    public static SignalRoundTripNodesScenario Of(int nodes, ScenarioSize size) => new(
        new ScenarioVariant($"signal-roundtrip-nodes-{nodes}", TierNames.Nightly, 400, 16) { SignalWorkers = 8, FullSizeOperations = 8_000 }
            .At(size), nodes);
}
