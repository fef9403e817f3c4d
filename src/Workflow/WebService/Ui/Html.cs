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
