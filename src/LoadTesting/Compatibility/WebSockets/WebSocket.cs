using System.Buffers;
using System.Net.WebSockets;

namespace LoadTesting.WebSockets;

/// <summary>A message that was received. Its memory is given back when it is disposed.</summary>
public sealed class WebSocketResponse : IDisposable
{
    private readonly int _length;
    private byte[] _buffer;

    internal WebSocketResponse(byte[] buffer, int length, WebSocketMessageType type) =>
        (_buffer, _length, MessageType) = (buffer, length, type);

    public WebSocketMessageType MessageType { get; }

    /// <summary>The message, until it is disposed.</summary>
    public ReadOnlyMemory<byte> Data
    {
        get
        {
            ObjectDisposedException.ThrowIf(_buffer is null, this);
            return _buffer.AsMemory(0, _length);
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _buffer, null) is { } buffer)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}

/// <summary>A web socket of one copy: one sends and one receives at a time.</summary>
public sealed class WebSocket : IDisposable
{
    private readonly int _receiveBytes;

    public WebSocket(WebSocketConfig config)
    {
        ArgumentNullException.ThrowIfNull(config);
        ArgumentOutOfRangeException.ThrowIfLessThan(config.ReceiveBufferBytes, 1);
        _receiveBytes = config.ReceiveBufferBytes;
        Client.Options.KeepAliveInterval = config.KeepAliveInterval ?? Client.Options.KeepAliveInterval;
    }

    public ClientWebSocket Client { get; } = new();

    public Task Connect(string url, CancellationToken cancellationToken = default) =>
        Client.ConnectAsync(new Uri(url), cancellationToken);

    /// <summary>Sends a binary message.</summary>
    public Task Send(byte[] payload, CancellationToken cancellationToken = default) =>
        Send(payload.AsMemory(), WebSocketMessageType.Binary, cancellationToken);

    /// <summary>Sends a text message.</summary>
    public Task Send(string text, CancellationToken cancellationToken = default) =>
        Send(Encoding.UTF8.GetBytes(text), WebSocketMessageType.Text, cancellationToken);

    public Task Send(
        ReadOnlyMemory<byte> payload, WebSocketMessageType messageType = WebSocketMessageType.Binary,
        CancellationToken cancellationToken = default) =>
        Client.SendAsync(payload, messageType, endOfMessage: true, cancellationToken).AsTask();

    /// <summary>Waits for a whole message.</summary>
    /// <exception cref="WebSocketException">The other side has closed the connection.</exception>
    public async Task<WebSocketResponse> Receive(CancellationToken cancellationToken = default)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(_receiveBytes);
        var length = 0;
        try
        {
            while (true)
            {
                var received = await Client.ReceiveAsync(buffer.AsMemory(length), cancellationToken)
                    .ConfigureAwait(false);
                length += received.Count;
                if (received.MessageType == WebSocketMessageType.Close)
                {
                    throw new WebSocketException(
                        WebSocketError.ConnectionClosedPrematurely,
                        $"The other side has closed the web socket: {Client.CloseStatus} "
                            + $"{Client.CloseStatusDescription}");
                }

                if (received.EndOfMessage)
                {
                    return new WebSocketResponse(buffer, length, received.MessageType);
                }

                if (length == buffer.Length)
                {
                    var larger = ArrayPool<byte>.Shared.Rent(buffer.Length * 2);
                    buffer.AsSpan().CopyTo(larger);
                    ArrayPool<byte>.Shared.Return(buffer);
                    buffer = larger;
                }
            }
        }
        catch
        {
            ArrayPool<byte>.Shared.Return(buffer);
            throw;
        }
    }

    public Task Close(CancellationToken cancellationToken = default) =>
        Client.State is WebSocketState.Open or WebSocketState.CloseReceived
        ? Client.CloseAsync(WebSocketCloseStatus.NormalClosure, "", cancellationToken)
        : Task.CompletedTask;

    public void Dispose() => Client.Dispose();
}
