using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Http;

/// <summary>
/// A connection of HttpClient that counts the bytes of each request. HttpClient writes a request in the execution
/// context of the call that sends it, and an HTTP/1.1 connection has one request at a time, so that bytes read belong
/// to the request written last.
/// </summary>
internal sealed class CountedStream(Stream inner) : Stream
{
    private static readonly AsyncLocal<Exchange?> s_sending = new();
    private Exchange? _exchange;

    public override bool CanRead => inner.CanRead;
    public override bool CanWrite => inner.CanWrite;
    public override bool CanSeek => false;
    public override long Length => throw new NotSupportedException();
    public override long Position { get =>
        throw new NotSupportedException(); set => throw new NotSupportedException(); }

    /// <summary>
    /// Counts from now on for the request of this execution context. The changed context is cached as long as the outer
    /// one stays the same.
    /// </summary>
    internal static void Count(Exchange exchange)
    {
        var outer = ExecutionContext.Capture();
        if (exchange.Inner is { } inner && ReferenceEquals(exchange.Outer, outer))
        {
            ExecutionContext.Restore(inner);
            return;
        }

        s_sending.Value = exchange;
        (exchange.Outer, exchange.Inner) = (outer, ExecutionContext.Capture());
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _exchange = s_sending.Value;
        _exchange?.Sent(buffer.Length);
        return inner.WriteAsync(buffer, cancellationToken);
    }

    // A read may begin before its request is written, but ends after.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var count = await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        if (count > 0)
        {
            // Not at the end of an idle connection, whose last request is over.
            _exchange?.Received(count);
        }

        return count;
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);
    public override void Flush() => inner.Flush();
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>A request and its response. Used by one thread at a time.</summary>
    internal sealed class Exchange
    {
        internal MovedBytes Bytes { get; set; }

        /// <summary>The execution contexts before and after the last <see cref="Count"/>.</summary>
        internal ExecutionContext? Outer { get; set; }
        internal ExecutionContext? Inner { get; set; }

        internal void Sent(int count) => Bytes = Bytes with { Sent = Bytes.Sent + count };

        internal void Received(int count) => Bytes = Bytes with { Received = Bytes.Received + count };
    }
}
