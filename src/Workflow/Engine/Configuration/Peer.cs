namespace Workflow.Engine.Configuration;

/// <summary>Another node.</summary>
/// <param name="Id">The id of the node, new after each start.</param>
/// <param name="Key">Shows the node that the sender shares its store. Secret, and not valid for any other node.</param>
public sealed record Peer(Guid Id, Uri Address, string Key);
