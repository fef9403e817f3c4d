using System.Net.Sockets;
using System.Net.WebSockets;
using System.Threading.Channels;
using Workflow.Engine.Configuration;
using Workflow.WebService.Peers;

namespace IntegrationTests.Cluster;

/// <summary>What another node may send.</summary>
[Trait("Category", "Integration")]
public sealed class FrameSocketTests : IAsyncLifetime
{
    private const int LargestFrame = 1_000;
    private readonly Channel<PeerRequest> _outgoing = Channel.CreateUnbounded<PeerRequest>();
    private readonly ConcurrentQueue<PeerRequest> _received = new();
    private WebSocket _other = null!;
    private WebSocket _own = null!;
    private Task _running = null!;

    public async ValueTask InitializeAsync()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)listener.LocalEndpoint, Cancel);
        var server = await listener.AcceptTcpClientAsync(Cancel);
        _other = WebSocket.CreateFromStream(client.GetStream(), new WebSocketCreationOptions());
        _own = WebSocket.CreateFromStream(server.GetStream(), new WebSocketCreationOptions { IsServer = true });
        var frames = new FrameSocket<PeerRequest, PeerRequest>(
            _own, _outgoing.Reader, PeerFrames.Write, PeerFrames.ReadRequest, LargestFrame);
        _running = frames.RunAsync(_received.Enqueue, Cancel);
    }

    public ValueTask DisposeAsync()
    {
        _other.Dispose();
        _own.Dispose();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Frame_with_several_items_is_read()
    {
        var requests = Enumerable.Range(0, 3).Select(i => Request($"body {i}")).ToArray();

        await SendAsync(requests.SelectMany(Bytes).ToArray());
        await _other.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, Cancel);

        await EndedAsync();
        Assert.Equal(requests, _received);
    }

    [Fact]
    public async Task Frame_that_is_too_large_is_refused()
    {
        await SendAsync(Bytes(Request(new('x', LargestFrame))));

        await Assert.ThrowsAsync<InvalidDataException>(EndedAsync);
        Assert.Empty(_received);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(17)]
    [InlineData(30)]
    public async Task Frame_cut_off_in_an_item_is_refused(int length)
    {
        var whole = Request("whole");

        await SendAsync([.. Bytes(whole), .. Bytes(Request("cut off")).Take(length)]);

        await Assert.ThrowsAsync<InvalidDataException>(EndedAsync);
        Assert.Equal([whole], _received);
    }

    private static PeerRequest Request(string body) => new(Guid.NewGuid(), 7, "signal", body);

    private static byte[] Bytes(PeerRequest request)
    {
        using var frame = new MemoryStream();
        using var writer = new BinaryWriter(frame);
        PeerFrames.Write(writer, request);
        writer.Flush();
        return frame.ToArray();
    }

    private Task SendAsync(byte[] frame) =>
        _other.SendAsync(frame, WebSocketMessageType.Binary, endOfMessage: true, Cancel);

    private Task EndedAsync() => _running.WaitAsync(Eventually.Deadline, Cancel);
}
