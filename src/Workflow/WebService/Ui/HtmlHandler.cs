using System.Buffers;
using System.Net;
using System.Runtime.CompilerServices;

namespace Workflow.WebService.Ui;

/// <summary>Encodes the values of an interpolated string as HTML.</summary>
[InterpolatedStringHandler]
internal readonly ref struct HtmlHandler
{
    /// <summary>
    /// Control characters, which HTML does not allow, and characters that change the direction of the text.
    /// </summary>
    private static readonly SearchValues<char> Unprintable = SearchValues.Create(
        [
            .. Enumerable.Range(0, 0xA0).Select(code => (char)code)
                .Where(c => char.IsControl(c) && c is not ('\t' or '\n' or '\r')),
            .. "\u200E\u200F\u061C\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\uFFFE\uFFFF",
        ]);

    private readonly StringBuilder _markup;

    public HtmlHandler(int literalLength, int formattedCount) => _markup = new(literalLength + (formattedCount * 16));

    public HtmlHandler(int literalLength, int formattedCount, bool condition, out bool isWanted)
    {
        isWanted = condition;
        _markup = condition ? new(literalLength + (formattedCount * 16)) : null!;
    }

    public void AppendLiteral(string markup) => _markup.Append(markup);
    public void AppendFormatted(Html markup) => _markup.Append(markup.ToString());
    public void AppendFormatted(string? text) => _markup.Append(Encode(text));
    public void AppendFormatted(IEnumerable<Html> parts) => _markup.AppendJoin("", parts);

    public void AppendFormatted<T>(T value, string? format = null)
        where T : ISpanFormattable => AppendFormatted(value.ToString(format, CultureInfo.InvariantCulture));

    public override string ToString() => _markup.ToString();

    private static string Encode(string? text)
    {
        if (text is null)
        {
            return "";
        }

        if (text.AsSpan().ContainsAny(Unprintable))
        {
            text = string.Create(text.Length, text, static (to, from) =>
            {
                from.CopyTo(to);
                to.ReplaceAny(Unprintable, '\uFFFD');
            });
        }

        return WebUtility.HtmlEncode(text);
    }
}
