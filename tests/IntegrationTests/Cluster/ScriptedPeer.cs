using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography;
using Workflow.Engine.Configuration;
using Workflow.WebService.Peers;

namespace IntegrationTests.Cluster;

/// <summary>A node that a test plays: it takes connections and replies when the test says so.</summary>
internal sealed class ScriptedPeer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<IDisposable> _connections = [];

    public ScriptedPeer()
    {
        _listener.Start();
        Peer = new(Guid.NewGuid(), new($"http://{_listener.LocalEndpoint}"), "key");
    }

    public Peer Peer { get; }

    /// <summary>Takes the next connection as far as TCP: no web socket comes of it yet.</summary>
    public async Task<TcpClient> AcceptAsync()
    {
        var client = await _listener.AcceptTcpClientAsync(Cancel).AsTask().WaitAsync(Eventually.Deadline, Cancel);
        _connections.Add(client);
        return client;
    }

    /// <summary>Takes the next connection as a web socket.</summary>
    public async Task<WebSocket> AcceptSocketAsync()
    {
        var stream = (await AcceptAsync()).GetStream();
        var request = new StringBuilder();
        var next = new byte[1];
        while (!request.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            await stream.ReadExactlyAsync(next, Cancel);
            request.Append((char)next[0]);
        }

        const string Header = "Sec-WebSocket-Key: ";
        var key = request.ToString().Split("\r\n").First(line => line.StartsWith(Header, StringComparison.Ordinal));
        await stream.WriteAsync(
            Encoding.ASCII.GetBytes("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + $"Sec-WebSocket-Accept: {Accept(key[Header.Length..])}\r\n\r\n"),
            Cancel);
        var socket = WebSocket.CreateFromStream(stream, new WebSocketCreationOptions { IsServer = true });
        _connections.Add(socket);
        return socket;
    }

    /// <summary>The requests of the next frame.</summary>
    public static async Task<IReadOnlyList<PeerRequest>> ReceiveAsync(WebSocket socket)
    {
        var frame = new byte[65_536];
        var size = (await socket.ReceiveAsync(frame, Cancel).WaitAsync(Eventually.Deadline, Cancel)).Count;
        using var reader = new BinaryReader(new MemoryStream(frame, 0, size));
        var requests = new List<PeerRequest>();
        while (reader.BaseStream.Position < size)
        {
            requests.Add(PeerFrames.ReadRequest(reader));
        }

        return requests;
    }

    public static async Task ReplyAsync(WebSocket socket, Guid request, PeerReply reply)
    {
        using var frame = new MemoryStream();
        await using var writer = new BinaryWriter(frame);
        PeerFrames.Write(writer, (request, reply));
        writer.Flush();
        await socket.SendAsync(frame.ToArray(), WebSocketMessageType.Binary, endOfMessage: true, Cancel);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _connections.ForEach(connection => connection.Dispose());
    }

    /// <summary>RFC 6455, 4.2.2: the proof that a server speaks the protocol.</summary>
    private static string Accept(string key) => Convert.ToBase64String(
        SHA1.HashData(Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
}
