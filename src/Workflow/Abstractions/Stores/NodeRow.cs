namespace Workflow.Abstractions.Stores;

/// <summary>A node as the store sees it.</summary>
/// <param name="Id">Id of this life.</param>
/// <param name="Name">Its name for people.</param>
/// <param name="StartedUtc">When it joined (UTC).</param>
/// <param name="IsLive">Whether it is active and has renewed within its lease.</param>
public sealed record NodeRow(Guid Id, string Name, DateTimeOffset StartedUtc, bool IsLive);
