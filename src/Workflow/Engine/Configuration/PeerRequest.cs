namespace Workflow.Engine.Configuration;

/// <summary>A command for a lane of another node.</summary>
/// <param name="Id">The id of the request, the same each time it is sent.</param>
/// <param name="Body">The command as JSON.</param>
public sealed record PeerRequest(Guid Id, short Partition, string Kind, string Body);
