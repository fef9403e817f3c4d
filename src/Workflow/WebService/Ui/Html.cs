using System.Runtime.CompilerServices;

namespace Workflow.WebService.Ui;

/// <summary>
/// Markup. It is created only from interpolated strings: the literal parts are markup, and the values are encoded
/// unless they are markup themselves. Data therefore never becomes markup. Values in attributes stand in double quotes.
/// </summary>
internal readonly struct Html
{
    private readonly string? _markup;

    private Html(string markup) => _markup = markup;

    public static Html Nothing => default;
    public bool IsEmpty => string.IsNullOrEmpty(_markup);

    public static Html Of(ref HtmlHandler markup) => new(markup.ToString());

    /// <summary>The markup if the condition holds, else nothing; then its values are not evaluated.</summary>
    public static Html If(
        bool condition, [InterpolatedStringHandlerArgument(nameof(condition))] ref HtmlHandler markup) =>
        condition ? new(markup.ToString()) : Nothing;

    public static Html Join(IEnumerable<Html> parts) => new(string.Concat(parts.Select(part => part._markup)));
    public override string ToString() => _markup ?? "";
}
