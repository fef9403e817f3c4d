namespace LoadTesting.Core.Http;

/// <summary>The syntax of RFC 9112.</summary>
internal static class HttpSyntax
{
    private const int MaxSizeDigits = 15;

    /// <summary>Takes bytes up to the next CRLF, or all if there is none.</summary>
    public static ReadOnlySpan<byte> TakeLine(ref ReadOnlySpan<byte> text)
    {
        var end = text.IndexOf("\r\n"u8);
        var line = end < 0 ? text : text[..end];
        text = end < 0 ? default : text[(end + 2)..];
        return line;
    }

    public static bool IsStatusLine(ReadOnlySpan<byte> line) =>
        line.Length >= 12 && line.StartsWith("HTTP/1."u8) && line[7] is (byte)'0' or (byte)'1' && line[8] == ' '
        && line[9] is >= (byte)'1' and <= (byte)'9' && char.IsAsciiDigit((char)line[10])
        && char.IsAsciiDigit((char)line[11])
        && (line.Length == 12 || line[12] == ' ') && !line.ContainsAny((byte)'\r', (byte)'\n', (byte)0);

    /// <summary>
    /// Splits a header into name and value. False for a folded line, a space before the colon, no name, or control
    /// characters.
    /// </summary>
    public static bool TrySplit(ReadOnlySpan<byte> line, out ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        var colon = line.IndexOf((byte)':');
        name = colon <= 0 ? default : line[..colon];
        value = colon <= 0 ? default : line[(colon + 1)..].Trim(" \t"u8);
        return colon > 0 && !name.ContainsAny((byte)' ', (byte)'\t')
            && !line.ContainsAny((byte)'\r', (byte)'\n', (byte)0);
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

    /// <summary>Reads hexadecimal digits. Ignores an extension after a semicolon.</summary>
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
