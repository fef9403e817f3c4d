using System.Buffers.Binary;
using System.Net.Sockets;

namespace IntegrationTests.Backends;

/// <summary>
/// Lets everybody in and calls itself a version of PostgreSQL; answers no query
/// (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP).
/// </summary>
internal sealed class ScriptedPostgres : IAsyncDisposable
{
    private const int ProtocolVersionMajor = 3;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly string _version;
    private readonly Task _serving;

    private ScriptedPostgres(string version)
    {
        _version = version;
        _listener.Start();
        _serving = ServeAsync();
    }

    public string ConnectionString =>
        $"Host=127.0.0.1;Port={((IPEndPoint)_listener.LocalEndpoint).Port};Username=somebody;Database=somewhere";

    public static ScriptedPostgres Start(string version) => new(version);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _serving;
        _listener.Dispose();
        _stop.Dispose();
    }

    private async Task ServeAsync()
    {
        try
        {
            while (true)
            {
                using var client = await _listener.AcceptTcpClientAsync(_stop.Token);
                await GreetAsync(client.GetStream());
            }
        }
        catch (OperationCanceledException)
        {
            // The way it ends.
        }
    }

    private async Task GreetAsync(NetworkStream stream)
    {
        var head = new byte[8];
        while (true)
        {
            await stream.ReadExactlyAsync(head, _stop.Token);
            if (BinaryPrimitives.ReadInt16BigEndian(head.AsSpan(4)) == ProtocolVersionMajor)
            {
                break;
            }

            await stream.WriteAsync("N"u8.ToArray(), _stop.Token); // Encryption of either kind is not offered.
        }

        await stream.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(head) - head.Length], _stop.Token);
        byte[] welcome = [.. Message('R', [0, 0, 0, 0]), .. Setting("server_version", _version), .. Setting(
            "client_encoding", "UTF8"), .. Message('Z', "I"u8)];
        await stream.WriteAsync(welcome, _stop.Token);
        var rest = new byte[256];
        while (await stream.ReadAsync(rest, _stop.Token) > 0)
        {
            // Until the client goes.
        }
    }

    private static byte[] Setting(string name, string value) =>
        Message('S', Encoding.ASCII.GetBytes($"{name}\0{value}\0"));

    private static byte[] Message(char type, ReadOnlySpan<byte> content)
    {
        var message = new byte[1 + sizeof(int) + content.Length];
        message[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), sizeof(int) + content.Length);
        content.CopyTo(message.AsSpan(1 + sizeof(int)));
        return message;
    }
}
