using System.Buffers;
using System.Net;
using System.Runtime.CompilerServices;

namespace Workflow.WebService.Ui;

/// <summary>
/// Markup. It is made of interpolated strings alone, whose literal parts are the program's own and whose holes are
/// encoded, unless they are markup themselves: data becomes markup nowhere. Holes in attributes stand between double
/// quotes.
/// </summary>
internal readonly struct Html
{
    private readonly string? _markup;

    private Html(string markup) => _markup = markup;

    public static Html Nothing => default;
    public bool IsEmpty => string.IsNullOrEmpty(_markup);

    public static Html Of(ref HtmlHandler markup) => new(markup.ToString());

    /// <summary>The markup where the condition holds, else nothing; then its holes are not looked at.</summary>
    public static Html If(
        bool condition, [InterpolatedStringHandlerArgument(nameof(condition))] ref HtmlHandler markup) =>
        condition ? new(markup.ToString()) : Nothing;

    public static Html Join(IEnumerable<Html> parts) => new(string.Concat(parts.Select(part => part._markup)));
    public override string ToString() => _markup ?? "";
}

/// <summary>Encodes what is put into the holes of an interpolated string.</summary>
[InterpolatedStringHandler]
internal readonly ref struct HtmlHandler
{
    /// <summary>
    /// Control characters, which HTML does not allow, and those that turn the direction of the text around them.
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
