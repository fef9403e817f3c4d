using System.Net.WebSockets;
using System.Threading.Channels;
using Workflow.Engine.Configuration;

namespace Workflow.WebService.Peers;

/// <summary>
/// The connection to another node, for all requests to it. Requests that it has not sent when it ends were not
/// delivered; of others nobody knows.
/// </summary>
internal sealed class PeerLink(Peer peer, long largestFrame, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(1);

    /// <summary>
    /// A peer that answers no ping for so long is gone: its requests need not wait for their own timeout.
    /// </summary>
    private static readonly TimeSpan KeepAlive = TimeSpan.FromSeconds(1);

    private readonly Channel<PeerRequest> _outgoing = Channel.CreateUnbounded<PeerRequest>(
        new() { SingleReader = true });
    private readonly ConcurrentDictionary<Guid, TaskCompletionSource<PeerReply>> _waiting = new();

    /// <summary>Sends a request and waits for its reply.</summary>
    public async Task<PeerReply> SendAsync(PeerRequest request, TimeSpan timeout)
    {
        var reply = new TaskCompletionSource<PeerReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_waiting.TryAdd(request.Id, reply))
        {
            // It is on its way already. Each copy would get the other's reply.
            return new(PeerOutcome.Unknown);
        }

        try
        {
            return _outgoing.Writer.TryWrite(request)
                ? await reply.Task.WaitAsync(timeout, time)
                : new(PeerOutcome.Unreachable);
        }
        catch (TimeoutException)
        {
            return new(PeerOutcome.Unknown);
        }
        finally
        {
            _waiting.TryRemove(request.Id, out _);
        }
    }

    /// <summary>Connects, and runs until the connection ends. <see cref="End"/> must follow.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        using var socket = new ClientWebSocket();
        socket.Options.SetRequestHeader(PeerEndpoint.KeyHeader, peer.Key);
        socket.Options.Proxy = null;
        (socket.Options.KeepAliveInterval, socket.Options.KeepAliveTimeout) = (KeepAlive, KeepAlive);
        try
        {
            using (var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                deadline.CancelAfter(ConnectTimeout);
                await socket.ConnectAsync(PeerEndpoint.AddressOf(peer), deadline.Token);
            }

            await new FrameSocket<PeerRequest, (Guid Id, PeerReply Reply)>(
                    socket, _outgoing.Reader, PeerFrames.Write, PeerFrames.ReadReply, largestFrame)
                .RunAsync(Receive, cancellationToken);
        }
        catch (Exception e) when (PeerFrames.IsEnd(e) || e is HttpRequestException)
        {
            Log.PeerLinkEnded(logger, e.Message, peer.Address);
        }
    }

    /// <summary>Ends all requests after the connection has ended, and refuses more.</summary>
    public void End()
    {
        _outgoing.Writer.TryComplete();
        while (_outgoing.Reader.TryRead(out var unsent))
        {
            Receive((unsent.Id, new(PeerOutcome.Unreachable)));
        }

        foreach (var waiting in _waiting.Values)
        {
            waiting.TrySetResult(new(PeerOutcome.Unknown));
        }
    }

    private void Receive((Guid Id, PeerReply Reply) answer)
    {
        // A reply that nobody waits for is late, or the second one.
        if (_waiting.TryGetValue(answer.Id, out var waiting))
        {
            waiting.TrySetResult(answer.Reply);
        }
    }
}
