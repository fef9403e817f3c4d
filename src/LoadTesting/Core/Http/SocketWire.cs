namespace LoadTesting.Core.Http;

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
