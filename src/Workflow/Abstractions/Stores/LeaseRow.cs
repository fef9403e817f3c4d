namespace Workflow.Abstractions.Stores;

/// <summary>Who owns a lane.</summary>
/// <param name="Lane">
/// From 0. Those past the number of lanes are left from an engine with more: they own no partition, but a stream of
/// events.
/// </param>
/// <param name="Owner">The node; null when the lane is free.</param>
/// <param name="Left">The remaining time of the lease; zero or less if it has expired, or the lane is free.</param>
/// <param name="LastSequence">The last committed event of the lane's stream.</param>
public sealed record LeaseRow(int Lane, Guid? Owner, TimeSpan Left, long LastSequence);
