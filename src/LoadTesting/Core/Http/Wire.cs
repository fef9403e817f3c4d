using System.Net.Security;

namespace LoadTesting.Core.Http;

/// <summary>
/// A connection as bytes. One receive and one send at a time. <see cref="Abort"/> may be called at any time from any
/// thread; <see cref="Dispose"/> only by the owner while no receive is pending.
/// </summary>
internal abstract class Wire : IDisposable
{
    /// <returns>Number of bytes received; 0 when the connection has ended.</returns>
    internal abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    internal abstract ValueTask SendAsync(ReadOnlyMemory<byte> data);

    /// <summary>Ends pending and later receives and sends.</summary>
    internal abstract void Abort();

    public abstract void Dispose();
}

/// <summary>A connection over the runtime's sockets.</summary>
internal sealed class SocketWire(Socket socket) : Wire
{
    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer) =>
        socket.ReceiveAsync(buffer, SocketFlags.None, default);

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data)
    {
        var sending = socket.SendAsync(data, SocketFlags.None, default);
        if (!sending.IsCompletedSuccessfully)
        {
            return SendRestAsync(sending, data);
        }

        var sent = sending.GetAwaiter().GetResult();
        return sent == data.Length ? default : SendRestAsync(new ValueTask<int>(sent), data);
    }

    internal override void Abort() => socket.Dispose();

    public override void Dispose() => socket.Dispose();

    private async ValueTask SendRestAsync(ValueTask<int> sending, ReadOnlyMemory<byte> data)
    {
        for (var sent = await sending.ConfigureAwait(false); sent < data.Length;)
        {
            data = data[sent..];
            sent = await socket.SendAsync(data, SocketFlags.None, default).ConfigureAwait(false);
        }
    }
}

internal sealed class TlsWire(Socket socket, SslStream stream) : Wire
{
    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => stream.ReadAsync(buffer);

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data) => stream.WriteAsync(data);

    internal override void Abort() => socket.Dispose();

    public override void Dispose() => stream.Dispose();
}
