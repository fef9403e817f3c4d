using System.Net.Security;

namespace LoadTesting.Core.Http;

internal sealed class TlsWire(Socket socket, SslStream stream) : Wire
{
    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => stream.ReadAsync(buffer);

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data) => stream.WriteAsync(data);

    internal override void Abort() => socket.Dispose();

    public override void Dispose() => stream.Dispose();
}
