namespace LoadTesting.WebSockets;

/// <summary>How a web socket is opened and read.</summary>
public sealed class WebSocketConfig
{
    /// <summary>Bytes that are read at a time; messages may be longer. Default 16 KiB.</summary>
    public int ReceiveBufferBytes { get; set; } = 16 * 1024;

    /// <summary>Default: as the client's.</summary>
    public TimeSpan? KeepAliveInterval { get; set; }
}
