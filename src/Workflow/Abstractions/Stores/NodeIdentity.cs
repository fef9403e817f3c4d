namespace Workflow.Abstractions.Stores;

/// <summary>One life of a node.</summary>
/// <param name="Id">New at every start.</param>
/// <param name="Name">The name for people.</param>
public sealed record NodeIdentity(Guid Id, string Name);
