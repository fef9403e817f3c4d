namespace LoadTesting.Core.Http;

/// <summary>
/// Reads one response after the other from bytes that come in any pieces, by RFC 9112, and takes nothing for a success that is not one:
/// lines end with CRLF, no header is folded, and a length is given once and in one way. Allocates nothing once its buffers have grown.
/// </summary>
/// <param name="options">Limits.</param>
/// <param name="sink">Is given the body as it comes, instead of keeping it; null where it is kept or dropped.</param>
internal sealed class ResponseParser(HttpSenderOptions options, IBodySink? sink = null)
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

    /// <summary>Whether any of the response has come.</summary>
    public bool HasBegun { get; private set; }

    public HttpFault Fault { get; private set; }

    public string Detail { get; private set; } = "";

    public int Status { get; private set; }

    public long BodyBytes { get; private set; }

    /// <summary>Whether the connection may carry another request, as far as the response says.</summary>
    public bool KeepsConnection { get; private set; }

    public bool IsComplete => _part == Part.Done && Fault == HttpFault.None;

    /// <summary>Complete, or broken.</summary>
    public bool IsOver => _part == Part.Done || Fault != HttpFault.None;

    /// <summary>Status line and headers, where they are kept.</summary>
    public ReadOnlyMemory<byte> Head => _head.Memory;

    public ReadOnlyMemory<byte> Body => _body.Memory;

    /// <summary>Expects the response to the next request.</summary>
    public void Begin(bool isHead, bool isKept)
    {
        (_isHead, _isKept, _part, Fault, Detail) = (isHead, isKept, Part.Head, HttpFault.None, "");
        (_held.Length, _head.Length, _body.Length, _fieldBytes, _lineEnd) = (0, 0, 0, 0, 0);
        (HasBegun, Status, BodyBytes, KeepsConnection) = (false, 0, 0, false);
    }

    /// <summary>Takes what has come.</summary>
    /// <returns>How much of it belongs to the response: all, unless <see cref="IsOver"/>.</returns>
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

    /// <summary>The connection has ended: the end of a body that has no other, else a fault.</summary>
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
                Fail(HttpFault.Truncated, $"the connection ended before the last chunk, after {BodyBytes} bytes of the body");
                break;
        }
    }

    /// <summary>The connection was torn: nothing is complete that was not before.</summary>
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
        if (TryTakeUntil("\r\n\r\n"u8, ref rest, options.MaxHeadBytes - _fieldBytes, HttpFault.HeadTooLarge, out var head))
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
            Fail(HttpFault.MalformedHead, $"'{HttpSyntax.Shown(line)}' is no status line of HTTP/1.1");
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
            Fail(HttpFault.Unsupported, "the server switched to another protocol, which nobody asked for");
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
            // The ways into request smuggling (RFC 9112, 6.3): which length is meant is anybody's guess.
            Fail(HttpFault.InvalidLength, isOld
                ? "the response has Transfer-Encoding, and is of HTTP/1.0, which has none"
                : "the response has both Transfer-Encoding and Content-Length");
        }
        else if (_announced > options.MaxBodyBytes)
        {
            Fail(HttpFault.BodyTooLarge, $"a body of {_announced} bytes is announced, MaxBodyBytes is {options.MaxBodyBytes}");
        }
        else
        {
            _remaining = _announced;
            _part = _isChunked ? Part.ChunkSize : _announced switch { 0 => Part.Done, > 0 => Part.Fixed, _ => Part.UntilClose };
            KeepsConnection &= _part != Part.UntilClose;
        }
    }

    private void ReadField(ReadOnlySpan<byte> line)
    {
        if (!HttpSyntax.TrySplit(line, out var name, out var value))
        {
            Fail(HttpFault.MalformedHead, $"'{HttpSyntax.Shown(line)}' is no header");
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
                        $"Content-Length '{HttpSyntax.Shown(value)}' is no number of bytes, or differs from another one");
                }

                _announced = length;
                break;
            case 17 when Ascii.EqualsIgnoreCase(name, "Transfer-Encoding"u8):
                if (_isChunked || !Ascii.EqualsIgnoreCase(value, "chunked"u8))
                {
                    Fail(HttpFault.Unsupported, $"Transfer-Encoding '{HttpSyntax.Shown(value)}' is not 'chunked' alone, and once");
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

        if (sink is null)
        {
            Keep(piece, _body);
        }
        else
        {
            sink.OnBody(piece);
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
            Fail(HttpFault.MalformedChunk, $"'{HttpSyntax.Shown(line)}' is no size of a chunk");
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
            Fail(HttpFault.MalformedChunk, $"'{HttpSyntax.Shown(line)}' is no trailer");
        }
    }

    /// <summary>
    /// What stands before the next <paramref name="end"/>, which is taken as well. Where it has not come yet, all is held until more comes.
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
            // The end may lie across what was held and what came.
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

    /// <summary>Adds to what is held, at most up to a length from which it is too long anyway.</summary>
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

/// <summary>Takes the body of a response that has no end.</summary>
internal interface IBodySink
{
    /// <summary>A piece of the body; its head has been read. Valid during the call.</summary>
    void OnBody(ReadOnlySpan<byte> piece);
}

/// <summary>Bytes that are gathered, cleared and gathered again in the same memory.</summary>
internal sealed class GrowingBytes
{
    private byte[] _bytes = [];

    public int Length { get; set; }

    public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, Length);

    public ReadOnlyMemory<byte> Memory => _bytes.AsMemory(0, Length);

    public void Append(ReadOnlySpan<byte> piece)
    {
        if (_bytes.Length - Length < piece.Length)
        {
            Array.Resize(ref _bytes, Math.Max(Length + piece.Length, Math.Min(Array.MaxLength, Math.Max(512, 2 * _bytes.Length))));
        }

        piece.CopyTo(_bytes.AsSpan(Length));
        Length += piece.Length;
    }

    /// <summary>Drops so many bytes from the beginning.</summary>
    public void DropFirst(int count)
    {
        _bytes.AsSpan(count, Length - count).CopyTo(_bytes);
        Length -= count;
    }
}

/// <summary>The lines of RFC 9112.</summary>
internal static class HttpSyntax
{
    private const int MaxSizeDigits = 15;

    /// <summary>Up to the next CRLF, or all where there is none.</summary>
    public static ReadOnlySpan<byte> TakeLine(ref ReadOnlySpan<byte> text)
    {
        var end = text.IndexOf("\r\n"u8);
        var line = end < 0 ? text : text[..end];
        text = end < 0 ? default : text[(end + 2)..];
        return line;
    }

    public static bool IsStatusLine(ReadOnlySpan<byte> line) =>
        line.Length >= 12 && line.StartsWith("HTTP/1."u8) && line[7] is (byte)'0' or (byte)'1' && line[8] == ' '
        && line[9] is >= (byte)'1' and <= (byte)'9' && char.IsAsciiDigit((char)line[10]) && char.IsAsciiDigit((char)line[11])
        && (line.Length == 12 || line[12] == ' ') && !line.ContainsAny((byte)'\r', (byte)'\n', (byte)0);

    /// <summary>Name and value; false for a folded line, a space before the colon, no name, and control characters.</summary>
    public static bool TrySplit(ReadOnlySpan<byte> line, out ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        var colon = line.IndexOf((byte)':');
        name = colon <= 0 ? default : line[..colon];
        value = colon <= 0 ? default : line[(colon + 1)..].Trim(" \t"u8);
        return colon > 0 && !name.ContainsAny((byte)' ', (byte)'\t') && !line.ContainsAny((byte)'\r', (byte)'\n', (byte)0);
    }

    public static bool TryReadLength(ReadOnlySpan<byte> text, out long length)
    {
        length = 0;
        foreach (var digit in text)
        {
            if (!char.IsAsciiDigit((char)digit))
            {
                return false;
            }

            length = (10 * length) + digit - '0';
        }

        return text.Length is >= 1 and <= 18;
    }

    /// <summary>Hexadecimal digits; an extension after a semicolon is not looked at.</summary>
    public static bool TryReadSize(ReadOnlySpan<byte> line, out long size)
    {
        size = 0;
        var digits = 0;
        while (digits < line.Length && char.IsAsciiHexDigit((char)line[digits]))
        {
            if (digits == MaxSizeDigits)
            {
                return false;
            }

            var digit = line[digits++] | 0x20;
            size = (size << 4) + digit - (digit <= '9' ? '0' : 'a' - 10);
        }

        var rest = line[digits..].TrimStart(" \t"u8);
        return digits > 0 && (rest.Length == 0 || rest[0] == ';') && !line.ContainsAny((byte)'\r', (byte)'\n', (byte)0);
    }

    public static string Shown(ReadOnlySpan<byte> text)
    {
        var shown = Encoding.Latin1.GetString(text[..Math.Min(text.Length, 80)]);
        return string.Concat(shown.Select(letter => letter is >= ' ' and <= '~' ? letter : '?'));
    }
}
