namespace Workflow.Abstractions.Stores;

/// <summary>A node as the store sees it.</summary>
/// <param name="IsLive">Whether it is active and has renewed within its lease.</param>
/// <param name="Address">The address for other nodes; null if the node has published none.</param>
public sealed record NodeRow(Guid Id, string Name, DateTimeOffset StartedUtc, bool IsLive, Uri? Address = null);
