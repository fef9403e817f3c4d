namespace Workflow.Client.Events;

/// <summary>
/// Fails a read without data for too long. A connection whose server has gone would read forever, and a running service
/// sends comments.
/// </summary>
/// <param name="work">Runs from the end of a read to the beginning of the next one.</param>
internal sealed class SilenceLimitedStream(Stream inner, TimeSpan limit, TimeProvider timeProvider, WorkClock work)
    : Stream
{
    private byte _last;
    private bool _isBetweenFrames;

    /// <summary>
    /// Called before a read when all that was read ends with an empty line: the parser has handed on every event of it,
    /// and its caller has asked for the next one.
    /// </summary>
    public Action? FramesEnded { get; set; }

    public override bool CanRead => true;
    public override bool CanSeek => false;
    public override bool CanWrite => false;
    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_isBetweenFrames)
        {
            FramesEnded?.Invoke();
        }

        work.Stop();

        // The read itself is cancelled: one that was merely left behind would still write into the buffer.
        using var silence = new CancellationTokenSource(limit, timeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(silence.Token, cancellationToken);
        try
        {
            var length = await inner.ReadAsync(buffer, either.Token).ConfigureAwait(false);
            Note(buffer.Span[..length]);
            return length;
        }
        catch (OperationCanceledException e) when (silence.IsCancellationRequested
            && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException(
                $"Nothing came on the event stream for {limit.TotalSeconds:0.#} s, not even a heartbeat.", e);
        }
        finally
        {
            work.Start();
        }
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("This stream is read asynchronously only.");

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    public override void SetLength(long value) => throw new NotSupportedException();
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    private void Note(ReadOnlySpan<byte> read)
    {
        if (read is [.., var last])
        {
            _isBetweenFrames = last == '\n' && (read.Length > 1 ? read[^2] : _last) == '\n';
            _last = last;
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            work.Stop();
            inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
