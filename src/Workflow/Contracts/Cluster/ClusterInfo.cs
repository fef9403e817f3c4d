namespace Workflow.Contracts.Cluster;

/// <summary>Answer of <c>GET /cluster</c>: who has which lane, as this node knows it.</summary>
/// <param name="Partitions">
/// The number of partitions. A partition belongs to the lane whose number is the partition's modulo the number of
/// lanes.
/// </param>
/// <param name="Lanes">All lanes, by number.</param>
public sealed record ClusterInfo(int Partitions, IReadOnlyList<LaneOwner> Lanes);

/// <summary>A lane and the node that has it.</summary>
/// <param name="Node">The name of the node; absent while the lane has no owner.</param>
/// <param name="Address">
/// Where other nodes reach it; absent where it is not known, as on a store that keeps no addresses.
/// </param>
/// <param name="Epoch">
/// Rises each time a node begins to serve the lane: of two answers about a lane, the one with the higher epoch is
/// newer. Absent where it is not known.
/// </param>
public sealed record LaneOwner(int Lane, string? Node, Uri? Address, long? Epoch = null);
