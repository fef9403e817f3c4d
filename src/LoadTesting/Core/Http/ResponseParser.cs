namespace LoadTesting.Core.Http;

/// <summary>
/// Reads consecutive responses from bytes in pieces of any size, by RFC 9112. Strict, so that only valid responses
/// count as success: lines end with CRLF, headers are not folded, and a length is given only once. Allocates nothing
/// after its buffers have grown.
/// </summary>
/// <param name="options">Limits.</param>
/// <param name="onBody">Receives each piece of the body of a response without an end, after its head was read; null
/// (the default) to keep the body.</param>
internal sealed class ResponseParser(HttpSenderOptions options, Action<ReadOnlySpan<byte>>? onBody = null)
{
    private const int MaxChunkLine = 4_096;

    private readonly GrowingBytes _held = new();
    private readonly GrowingBytes _head = new();
    private readonly GrowingBytes _body = new();
    private int _fieldBytes;
    private int _lineEnd;
    private long _remaining;
    private long _announced;
    private Part _part = Part.Done;
    private bool _isHead;
    private bool _isKept;
    private bool _isChunked;
    private bool _closes;
    private bool _staysOpen;

    private enum Part
    {
        Head,
        Fixed,
        UntilClose,
        ChunkSize,
        Chunk,
        ChunkEnd,
        Trailers,
        Done,
    }

    /// <summary>Whether a part of the response has arrived.</summary>
    public bool HasBegun { get; private set; }

    public HttpFault Fault { get; private set; }

    public string Detail { get; private set; } = "";

    public int Status { get; private set; }

    public long BodyBytes { get; private set; }

    /// <summary>Whether the response allows another request on the connection.</summary>
    public bool KeepsConnection { get; private set; }

    public bool IsComplete => _part == Part.Done && Fault == HttpFault.None;

    /// <summary>Complete, or broken.</summary>
    public bool IsOver => _part == Part.Done || Fault != HttpFault.None;

    /// <summary>Status line and headers, if they are kept.</summary>
    public ReadOnlyMemory<byte> Head => _head.Memory;

    public ReadOnlyMemory<byte> Body => _body.Memory;

    /// <summary>Expects the response to the next request.</summary>
    public void Begin(bool isHead, bool isKept)
    {
        (_isHead, _isKept, _part, Fault, Detail) = (isHead, isKept, Part.Head, HttpFault.None, "");
        (_held.Length, _head.Length, _body.Length, _fieldBytes, _lineEnd) = (0, 0, 0, 0, 0);
        (HasBegun, Status, BodyBytes, KeepsConnection) = (false, 0, 0, false);
    }

    /// <summary>Parses received bytes.</summary>
    /// <returns>Number of bytes that belong to the response: all, unless <see cref="IsOver"/>.</returns>
    public int Feed(ReadOnlySpan<byte> data)
    {
        var rest = data;
        HasBegun |= rest.Length > 0;
        while (rest.Length > 0 && !IsOver)
        {
            Take(ref rest);
        }

        return data.Length - rest.Length;
    }

    /// <summary>The connection has ended. This completes a body without a length; otherwise it is a fault.</summary>
    public void End()
    {
        if (IsOver)
        {
            return;
        }

        switch (_part)
        {
            case Part.UntilClose:
                _part = Part.Done;
                break;
            case Part.Head when !HasBegun:
                Fail(HttpFault.ConnectionClosed, "the connection ended before any of the response came");
                break;
            case Part.Head:
                Fail(HttpFault.Truncated, $"the connection ended within the headers, after {_held.Length} bytes");
                break;
            case Part.Fixed:
                Fail(HttpFault.Truncated, $"the connection ended after {BodyBytes} of {_announced} bytes of the body");
                break;
            default:
                Fail(HttpFault.Truncated,
                    $"the connection ended before the last chunk, after {BodyBytes} bytes of the body");
                break;
        }
    }

    /// <summary>The connection was broken. An incomplete response becomes a fault.</summary>
    public void Break(string reason)
    {
        if (!IsOver)
        {
            Fail(HasBegun ? HttpFault.Truncated : HttpFault.ConnectionClosed, $"the connection was lost: {reason}");
        }
    }

    private void Take(ref ReadOnlySpan<byte> rest)
    {
        switch (_part)
        {
            case Part.Head:
                TakeHead(ref rest);
                break;
            case Part.Fixed or Part.Chunk:
                TakeBody(ref rest);
                if (_remaining == 0)
                {
                    _part = _part == Part.Fixed ? Part.Done : Part.ChunkEnd;
                }

                break;
            case Part.UntilClose:
                _remaining = rest.Length;
                TakeBody(ref rest);
                break;
            case Part.ChunkSize:
                TakeChunkSize(ref rest);
                break;
            case Part.ChunkEnd:
                TakeChunkEnd(ref rest);
                break;
            case Part.Trailers:
                TakeTrailer(ref rest);
                break;
            default:
                throw new InvalidOperationException("No response is expected.");
        }
    }

    private void TakeHead(ref ReadOnlySpan<byte> rest)
    {
        if (TryTakeUntil(
            "\r\n\r\n"u8, ref rest, options.MaxHeadBytes - _fieldBytes, HttpFault.HeadTooLarge, out var head))
        {
            _fieldBytes += head.Length;
            ReadHead(head);
        }
        else if (!IsOver && _held.Span.IndexOf("\n\n"u8) >= 0)
        {
            Fail(HttpFault.MalformedHead, "the lines of the head end with LF alone; HTTP/1.1 asks for CRLF");
        }
    }

    private void ReadHead(ReadOnlySpan<byte> head)
    {
        var whole = head;
        var line = HttpSyntax.TakeLine(ref head);
        if (!HttpSyntax.IsStatusLine(line))
        {
            Fail(HttpFault.MalformedHead, $"'{HttpSyntax.Shown(line)}' is not a status line of HTTP/1.1");
            return;
        }

        var isOld = line[7] == '0';
        Status = ((line[9] - '0') * 100) + ((line[10] - '0') * 10) + line[11] - '0';
        (_announced, _isChunked, _closes, _staysOpen) = (-1, false, false, false);
        while (head.Length > 0)
        {
            ReadField(HttpSyntax.TakeLine(ref head));
            if (Fault != HttpFault.None)
            {
                return;
            }
        }

        if (Status == 101)
        {
            Fail(HttpFault.Unsupported, "the server switched to another protocol, which was not requested");
        }
        else if (Status >= 200)
        {
            KeepsConnection = !_closes && (!isOld || _staysOpen);
            Keep(whole, _head);
            BeginBody(isOld);
        }
    }

    private void BeginBody(bool isOld)
    {
        if (_isHead || Status is 204 or 304)
        {
            _part = Part.Done;
        }
        else if (_isChunked && (_announced >= 0 || isOld))
        {
            // Ambiguous lengths allow request smuggling (RFC 9112, 6.3).
            Fail(HttpFault.InvalidLength, isOld
                ? "the response has Transfer-Encoding, and is of HTTP/1.0, which has none"
                : "the response has both Transfer-Encoding and Content-Length");
        }
        else if (_announced > options.MaxBodyBytes)
        {
            Fail(HttpFault.BodyTooLarge,
                $"a body of {_announced} bytes is announced, MaxBodyBytes is {options.MaxBodyBytes}");
        }
        else
        {
            _remaining = _announced;
            _part = _isChunked
                ? Part.ChunkSize
                : _announced switch { 0 => Part.Done, > 0 => Part.Fixed, _ => Part.UntilClose };
            KeepsConnection &= _part != Part.UntilClose;
        }
    }

    private void ReadField(ReadOnlySpan<byte> line)
    {
        if (!HttpSyntax.TrySplit(line, out var name, out var value))
        {
            Fail(HttpFault.MalformedHead, $"'{HttpSyntax.Shown(line)}' is not a header");
            return;
        }

        switch (name.Length)
        {
            case 10 when Ascii.EqualsIgnoreCase(name, "Connection"u8):
                foreach (var option in value.Split((byte)','))
                {
                    var word = value[option].Trim(" \t"u8);
                    _closes |= Ascii.EqualsIgnoreCase(word, "close"u8);
                    _staysOpen |= Ascii.EqualsIgnoreCase(word, "keep-alive"u8);
                }

                break;
            case 14 when Ascii.EqualsIgnoreCase(name, "Content-Length"u8):
                if (!HttpSyntax.TryReadLength(value, out var length) || (_announced >= 0 && _announced != length))
                {
                    Fail(
                        HttpFault.InvalidLength,
                        $"Content-Length '{HttpSyntax.Shown(value)}' is not a number of bytes, or differs from "
                            + $"another one");
                }

                _announced = length;
                break;
            case 17 when Ascii.EqualsIgnoreCase(name, "Transfer-Encoding"u8):
                if (_isChunked || !Ascii.EqualsIgnoreCase(value, "chunked"u8))
                {
                    Fail(HttpFault.Unsupported,
                        $"Transfer-Encoding '{HttpSyntax.Shown(value)}' is not 'chunked' alone, and once");
                }

                _isChunked = true;
                break;
        }
    }

    private void TakeBody(ref ReadOnlySpan<byte> rest)
    {
        var piece = rest.Length <= _remaining ? rest : rest[..(int)_remaining];
        rest = rest[piece.Length..];
        _remaining -= piece.Length;
        BodyBytes += piece.Length;
        if (BodyBytes > options.MaxBodyBytes)
        {
            Fail(HttpFault.BodyTooLarge, $"the body is longer than MaxBodyBytes, {options.MaxBodyBytes}");
            return;
        }

        if (onBody is null)
        {
            Keep(piece, _body);
        }
        else
        {
            onBody(piece);
        }
    }

    private void TakeChunkSize(ref ReadOnlySpan<byte> rest)
    {
        if (!TryTakeUntil("\r\n"u8, ref rest, MaxChunkLine, HttpFault.MalformedChunk, out var line))
        {
            return;
        }

        if (!HttpSyntax.TryReadSize(line, out _remaining))
        {
            Fail(HttpFault.MalformedChunk, $"'{HttpSyntax.Shown(line)}' is not the size of a chunk");
        }
        else if (BodyBytes + _remaining > options.MaxBodyBytes)
        {
            Fail(HttpFault.BodyTooLarge,
                $"a chunk of {_remaining} bytes after {BodyBytes} makes the body longer than MaxBodyBytes, {options.MaxBodyBytes}");
        }
        else
        {
            _part = _remaining == 0 ? Part.Trailers : Part.Chunk;
        }
    }

    private void TakeChunkEnd(ref ReadOnlySpan<byte> rest)
    {
        if (rest[0] != "\r\n"u8[_lineEnd])
        {
            Fail(HttpFault.MalformedChunk, "a chunk is longer than its size says: no line end follows it");
            return;
        }

        rest = rest[1..];
        if (++_lineEnd == 2)
        {
            (_lineEnd, _part) = (0, Part.ChunkSize);
        }
    }

    private void TakeTrailer(ref ReadOnlySpan<byte> rest)
    {
        if (!TryTakeUntil("\r\n"u8, ref rest, options.MaxHeadBytes - _fieldBytes, HttpFault.HeadTooLarge, out var line))
        {
            return;
        }

        _fieldBytes += line.Length;
        if (line.Length == 0)
        {
            _part = Part.Done;
        }
        else if (!HttpSyntax.TrySplit(line, out _, out _))
        {
            Fail(HttpFault.MalformedChunk, $"'{HttpSyntax.Shown(line)}' is not a trailer");
        }
    }

    /// <summary>
    /// Takes the bytes before the next <paramref name="end"/>, and the end itself. If it has not arrived yet, holds the
    /// bytes until then.
    /// </summary>
    private bool TryTakeUntil(
        ReadOnlySpan<byte> end, ref ReadOnlySpan<byte> rest, int max, HttpFault tooLong, out ReadOnlySpan<byte> found)
    {
        int at;
        if (_held.Length == 0)
        {
            at = rest.IndexOf(end);
            found = at < 0 ? default : rest[..at];
            if (at < 0)
            {
                Hold(rest, max + end.Length);
            }

            rest = at < 0 ? default : rest[(at + end.Length)..];
        }
        else
        {
            // The end may be split between held and new bytes.
            var before = _held.Length;
            Hold(rest, max + end.Length);
            var from = Math.Max(0, before - end.Length + 1);
            at = _held.Span[from..].IndexOf(end);
            at = at < 0 ? -1 : at + from;
            found = at < 0 ? default : _held.Span[..at];
            rest = at < 0 ? default : rest[(at + end.Length - before)..];
            if (at >= 0)
            {
                _held.Length = 0;
            }
        }

        if (at > max || (at < 0 && _held.Length >= max + end.Length))
        {
            Fail(tooLong, tooLong == HttpFault.HeadTooLarge
                ? $"status line, headers and trailers are longer than MaxHeadBytes, {options.MaxHeadBytes}"
                : $"the line of a chunk's size is longer than {max} bytes");
            return false;
        }

        return at >= 0;
    }

    /// <summary>Holds more bytes, up to the length that is too long.</summary>
    private void Hold(ReadOnlySpan<byte> piece, int most) =>
        _held.Append(piece[..Math.Min(piece.Length, Math.Max(0, most - _held.Length))]);

    private void Keep(ReadOnlySpan<byte> piece, GrowingBytes buffer)
    {
        if (_isKept)
        {
            buffer.Append(piece);
        }
    }

    private void Fail(HttpFault fault, string detail)
    {
        if (Fault == HttpFault.None)
        {
            (Fault, Detail, KeepsConnection) = (fault, detail, false);
        }
    }
}
