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
