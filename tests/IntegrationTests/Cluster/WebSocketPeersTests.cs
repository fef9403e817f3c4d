using System.Net.WebSockets;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Engine.Configuration;
using Workflow.WebService.Peers;

namespace IntegrationTests.Cluster;

/// <summary>What a node learns of its requests to another one whose connection fails.</summary>
[Trait("Category", "Integration")]
public sealed class WebSocketPeersTests : IDisposable
{
    private const long LargestFrame = 65_536;
    private static readonly PeerReply Unreachable = new(PeerOutcome.Unreachable);
    private static readonly PeerReply Unknown = new(PeerOutcome.Unknown);
    private static readonly PeerReply Answered = new(PeerOutcome.Answered, "done");

    private readonly ScriptedPeer _other = new();
    private readonly WebSocketPeers _peers = new(LargestFrame, TimeProvider.System, NullLogger.Instance);

    public void Dispose()
    {
        _peers.Dispose();
        _other.Dispose();
    }

    [Fact]
    public async Task Request_is_unreachable_if_nobody_listens()
    {
        _other.Dispose();

        Assert.Equal(Unreachable, await SendAsync());
    }

    [Fact]
    public async Task Requests_before_the_connection_is_there_are_unreachable()
    {
        var requests = new[] { SendAsync(), SendAsync() };

        (await _other.AcceptAsync()).Dispose();

        Assert.All(await Task.WhenAll(requests), reply => Assert.Equal(Unreachable, reply));
    }

    [Fact]
    public async Task Requests_sent_before_the_connection_breaks_are_unknown()
    {
        var requests = new[] { SendAsync(), SendAsync() };
        var socket = await _other.AcceptSocketAsync();
        for (var sent = 0; sent < requests.Length;)
        {
            sent += (await ScriptedPeer.ReceiveAsync(socket)).Count;
        }

        socket.Abort();

        Assert.All(await Task.WhenAll(requests), reply => Assert.Equal(Unknown, reply));
    }

    [Fact]
    public async Task Reply_that_is_too_large_ends_the_connection()
    {
        var asked = SendAsync();
        var socket = await _other.AcceptSocketAsync();
        var request = Assert.Single(await ScriptedPeer.ReceiveAsync(socket));

        await ScriptedPeer.ReplyAsync(socket, request.Id, Answered with { Body = new('x', (int)LargestFrame) });

        Assert.Equal(Unknown, await asked);
        await Assert.ThrowsAsync<WebSocketException>(() => ScriptedPeer.ReceiveAsync(socket));
    }

    [Fact]
    public async Task Next_request_after_a_failure_connects_anew()
    {
        var failing = SendAsync();
        (await _other.AcceptSocketAsync()).Abort();
        await failing;

        var next = SendAsync();
        var socket = await _other.AcceptSocketAsync();
        var request = Assert.Single(await ScriptedPeer.ReceiveAsync(socket));
        await ScriptedPeer.ReplyAsync(socket, request.Id, Answered);
        Assert.Equal(Answered, await next);
    }

    private Task<PeerReply> SendAsync() => _peers.SendAsync(
        _other.Peer, new(Guid.NewGuid(), 7, "signal", "{}"), Eventually.Deadline);
}
