namespace LoadTesting.Core.Http.Streams;

/// <summary>
/// Finds frames in a stream of pieces of any size (WHATWG HTML, server-sent events). Lines end with LF or CRLF. Ignores
/// comments and unknown fields. Holds nothing between frames.
/// </summary>
internal sealed class EventFrameParser(IFrameSink sink, int maxFrameBytes = 1 << 20)
{
    private readonly GrowingBytes _held = new();
    private GrowingBytes? _joined;

    /// <summary>A frame was longer than allowed: the stream cannot be read any further.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>Discards an incomplete frame before another stream.</summary>
    public void Reset() => (_held.Length, IsTooLong) = (0, false);

    public void Feed(ReadOnlySpan<byte> piece)
    {
        if (_held.Length == 0)
        {
            TakeAll(ref piece);
            _held.Append(piece);
        }
        else
        {
            _held.Append(piece);
            var text = _held.Span;
            TakeAll(ref text);
            _held.DropFirst(_held.Length - text.Length);
        }

        IsTooLong |= _held.Length > maxFrameBytes;
    }

    private void TakeAll(ref ReadOnlySpan<byte> text)
    {
        while (EndOfFrame(text) is var end && end > 0)
        {
            Read(text[..end]);
            text = text[end..];
        }
    }

    /// <summary>Length of the first frame including the empty line that ends it; 0 if it is incomplete.</summary>
    private static int EndOfFrame(ReadOnlySpan<byte> text)
    {
        for (var from = 0; text[from..].IndexOf((byte)'\n') is var at && at >= 0; from += at + 1)
        {
            var next = text[(from + at + 1)..];
            if (next.StartsWith("\n"u8))
            {
                return from + at + 2;
            }

            if (next.StartsWith("\r\n"u8))
            {
                return from + at + 3;
            }
        }

        return 0;
    }

    private void Read(ReadOnlySpan<byte> frame)
    {
        ReadOnlySpan<byte> id = default, type = default, data = default;
        var (hasId, lines) = (false, 0);
        while (frame.Length > 0)
        {
            var end = frame.IndexOf((byte)'\n');
            var line = frame[..end];
            frame = frame[(end + 1)..];
            line = line.EndsWith("\r"u8) ? line[..^1] : line;
            var colon = line.IndexOf((byte)':');
            var name = colon < 0 ? line : line[..colon];
            var value = colon < 0 ? default : line[(colon + 1)..];
            value = value.StartsWith(" "u8) ? value[1..] : value;
            if (name.SequenceEqual("id"u8))
            {
                id = value;
                hasId = true;
            }
            else if (name.SequenceEqual("event"u8))
            {
                type = value;
            }
            else if (name.SequenceEqual("data"u8))
            {
                data = lines++ == 0 ? value : Join(data, value, lines);
            }
        }

        if (hasId || lines > 0)
        {
            sink.OnFrame(new EventFrame { Id = id, Type = type, Data = data, IsEvent = lines > 0 });
        }
    }

    private ReadOnlySpan<byte> Join(ReadOnlySpan<byte> before, ReadOnlySpan<byte> line, int lines)
    {
        _joined ??= new GrowingBytes();
        if (lines == 2)
        {
            _joined.Length = 0;
            _joined.Append(before);
        }

        _joined.Append("\n"u8);
        _joined.Append(line);
        return _joined.Span;
    }
}
