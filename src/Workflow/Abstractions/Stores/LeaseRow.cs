namespace Workflow.Abstractions.Stores;

/// <summary>The owner of a lane.</summary>
/// <param name="Lane">
/// The index, from 0. Lanes beyond the number of lanes remain from an engine with more lanes: they own no partitions,
/// but an event stream.
/// </param>
/// <param name="Owner">The node; null if the lane is free.</param>
/// <param name="Left">The remaining time of the lease; zero or less if it has expired, or the lane is free.</param>
/// <param name="LastSequence">The last committed event of the lane's stream.</param>
/// <param name="Epoch"><see cref="LaneSnapshot.Epoch"/> of its last load or claim; null in a store that does not
/// tell.</param>
public sealed record LeaseRow(int Lane, Guid? Owner, TimeSpan Left, long LastSequence, long? Epoch = null);
