using System.Text.RegularExpressions;

namespace Workflow.Bpmn;

/// <summary>
/// Turns the bytes of a file into text, as XML says: by the byte order mark, else by the charset of the sender (RFC
/// 7303), else by the XML declaration, else as UTF-8. Nothing is replaced: bytes that are no characters of the encoding
/// are a finding.
/// </summary>
internal static partial class BpmnEncoding
{
    /// <summary>The declaration can only stand at the very beginning.</summary>
    private const int LongestDeclaration = 1_024;

    /// <summary>The longest first, since that of UTF-32 begins as that of UTF-16.</summary>
    private static readonly (byte[] Mark, string Name)[] Marks =
    [
        ([0xFF, 0xFE, 0, 0], "utf-32"), ([0, 0, 0xFE, 0xFF], "utf-32BE"), ([0xEF, 0xBB, 0xBF], "utf-8"),
        ([0xFF, 0xFE], "utf-16"), ([0xFE, 0xFF], "utf-16BE"),
    ];

    /// <summary>
    /// How <c>&lt;?</c>, or <c>&lt;</c> and a letter, begins where a character has more than one byte.
    /// </summary>
    private static readonly (byte[] Zeros, string Name)[] Wide =
    [
        ([1, 0, 0, 0], "utf-32"), ([0, 0, 0, 1], "utf-32BE"), ([1, 0, 1, 0], "utf-16"), ([0, 1, 0, 1], "utf-16BE"),
    ];

    /// <summary>The text; null when there is a finding.</summary>
    public static string? Decode(ReadOnlySpan<byte> xml, string? charset, FindingList findings)
    {
        var (name, skipped) = NameOf(xml, charset);
        if (Find(name) is not { } encoding)
        {
            findings.AddToFile(
                1, 1, $"The encoding '{BpmnExpressions.Shown(name)}' of the file is not read. Send UTF-8.");
            return null;
        }

        if (skipped == 0 && xml.StartsWith("<"u8) && xml.Length > 1 && xml[1] != 0 && encoding.GetByteCount("<") > 1)
        {
            findings.AddToFile(1, 1, $"The file says that its encoding is '{BpmnExpressions.Shown(name)}', but it has "
                + "one byte for each letter. Write encoding=\"UTF-8\", or what it is, into its XML declaration.");
            return null;
        }

        try
        {
            return encoding.GetString(xml[skipped..]);
        }
        catch (DecoderFallbackException e)
        {
            var line = 1 + xml[..Math.Clamp(skipped + e.Index, 0, xml.Length)].Count((byte)'\n');
            findings.AddToFile(line, 1, $"The file is read as '{BpmnExpressions.Shown(name)}', and the bytes "
                + $"{Convert.ToHexString(e.BytesUnknown ?? [])} at position {skipped + e.Index + 1} are no character "
                + "of that. Name the encoding that the file has in its XML declaration, or export it again as UTF-8.");
            return null;
        }
    }

    private static (string Name, int Skipped) NameOf(ReadOnlySpan<byte> xml, string? charset)
    {
        foreach (var (mark, name) in Marks)
        {
            if (xml.StartsWith(mark))
            {
                return (name, mark.Length);
            }
        }

        foreach (var (zeros, name) in Wide)
        {
            if (xml.Length >= zeros.Length && (xml[0] != 0) == (zeros[0] != 0) && (xml[1] != 0) == (zeros[1] != 0)
                && (xml[2] != 0) == (zeros[2] != 0) && (xml[3] != 0) == (zeros[3] != 0))
            {
                return (name, 0);
            }
        }

        if (!string.IsNullOrEmpty(charset))
        {
            return (charset, 0);
        }

        // Every other encoding writes the declaration as ASCII does.
        var declaration = Encoding.Latin1.GetString(xml[..Math.Min(xml.Length, LongestDeclaration)]);
        return (Declared().Match(declaration) is { Success: true } match ? match.Groups["name"].Value : "utf-8", 0);
    }

    // The library refuses UTF-7, which can hide markup.
    private static Encoding? Find(string name)
    {
        try
        {
            var (writing, reading) = (EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback);
            return CodePagesEncodingProvider.Instance.GetEncoding(name, writing, reading)
                ?? Encoding.GetEncoding(name, writing, reading);
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            // Not an encoding of this platform, which the caller reports by its name.
            return null;
        }
    }

    [GeneratedRegex("""^<\?xml\s[^>]*?\sencoding\s*=\s*["'](?<name>[^"']*)["']""")]
    private static partial Regex Declared();
}
