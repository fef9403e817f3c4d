namespace Workflow.Engine.Configuration;

/// <summary>
/// Carries requests from node to node. A request may be lost, late or duplicated: it has a key, and the commit of the
/// owner applies it once.
/// </summary>
public interface IPeerTransport
{
    /// <summary>Sends a request. Never throws: every failure is an outcome.</summary>
    /// <param name="timeout">How long to wait for the reply.</param>
    Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout);
}
