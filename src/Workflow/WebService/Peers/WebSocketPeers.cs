using Workflow.Engine.Configuration;

namespace Workflow.WebService.Peers;

/// <summary>Sends requests to other nodes, over one connection to each.</summary>
internal sealed class WebSocketPeers : IPeerTransport, IDisposable
{
    private readonly ConcurrentDictionary<Peer, Lazy<PeerLink>> _links = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Func<Peer, PeerLink> _create;

    /// <summary>Valid after <see cref="Dispose"/>, too: a request may come that late.</summary>
    private readonly CancellationToken _stopped;

    /// <param name="largestFrame">A node that answers with a larger frame is disconnected, bytes.</param>
    public WebSocketPeers(long largestFrame, TimeProvider time, ILogger logger)
    {
        _create = peer => new(peer, largestFrame, time, logger);
        _stopped = _stop.Token;
    }

    public Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout) =>
        _links.GetOrAdd(peer, Connect).Value.SendAsync(request, timeout);

    public void Dispose()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    private Lazy<PeerLink> Connect(Peer peer)
    {
        Lazy<PeerLink> link = null!;
        link = new(() =>
        {
            var connection = _create(peer);
            _ = RunAsync(connection);
            return connection;
        });
        return link;

        async Task RunAsync(PeerLink connection)
        {
            try
            {
                await connection.RunAsync(_stopped);
            }
            finally
            {
                // Removed before its requests end, so a caller's next request opens a new connection.
                _links.TryRemove(new(peer, link));
                connection.End();
            }
        }
    }
}
