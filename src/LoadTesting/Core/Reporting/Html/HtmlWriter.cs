namespace LoadTesting.Core.Reporting.Html;

/// <summary>
/// Writes HTML in which every text and every attribute value is escaped; markup comes only from this code.
/// </summary>
internal sealed partial class HtmlWriter
{
    // White space after these would show.
    private static readonly string[] Inline = ["a", "span", "strong", "code"];

    private readonly StringBuilder _html = new();

    public HtmlWriter Open(string tag, params ReadOnlySpan<(string Name, string Value)> attributes) =>
        Begin(tag, attributes).Trusted(">");

    /// <summary>An element of a drawing, which holds nothing.</summary>
    public HtmlWriter Shape(string tag, params ReadOnlySpan<(string Name, string Value)> attributes) =>
        Begin(tag, attributes).Trusted("/>");

    public HtmlWriter Close(string tag)
    {
        _html.Append("</").Append(tag).Append(Inline.Contains(tag) ? ">" : ">\n");
        return this;
    }

    public HtmlWriter Text(string text)
    {
        _html.Append(WebUtility.HtmlEncode(VisibleText.Of(text)));
        return this;
    }

    public HtmlWriter Element(string tag, string text, params ReadOnlySpan<(string Name, string Value)> attributes) =>
        Open(tag, attributes).Text(text).Close(tag);

    /// <summary>Text that is broken into lines, but not between a number and its unit.</summary>
    public HtmlWriter Prose(string text) => Text(BeforeUnit().Replace(text, "\u00a0"));

    public HtmlWriter Paragraph(string text, string? style = null) =>
        (style is null ? Open("p") : Open("p", ("class", style))).Prose(text).Close("p");

    /// <summary>Opens a page that needs nothing from elsewhere.</summary>
    public HtmlWriter OpenPage(string title, params ReadOnlySpan<string> styles)
    {
        Trusted("<!doctype html>\n").Open("html", ("lang", "en")).Open("head");
        Trusted("<meta charset=\"utf-8\">\n")
            .Open("meta", ("http-equiv", "Content-Security-Policy"), ("content", ReportScript.Policy));
        Trusted("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        Trusted("<meta name=\"color-scheme\" content=\"light dark\">\n").Element("title", title).Open("style")
            .Trusted(HtmlStyle.Sheet);
        foreach (var style in styles)
        {
            Trusted(style);
        }

        return Close("style").Close("head").Open("body").Open("main");
    }

    public HtmlWriter ClosePage() => Close("main").Close("body").Close("html");

    /// <summary>Ends a page whose strips follow the pointer.</summary>
    public HtmlWriter ClosePageWithScript() =>
        Close("main").Open("script").Trusted(ReportScript.Text).Close("script").Close("body").Close("html");

    /// <summary>Links to the sections of the page.</summary>
    public HtmlWriter Contents(IEnumerable<(string Id, string Title)> sections)
    {
        Open("nav", ("aria-label", "Sections"));
        foreach (var (id, title) in sections)
        {
            Element("a", title, ("href", "#" + id)).Text("\n");
        }

        return Close("nav");
    }

    /// <summary>Opens a section with a heading that can be linked to.</summary>
    public HtmlWriter OpenSection(string id, string title) =>
        Open("section", ("id", id), ("aria-labelledby", id + "-title")).Element("h2", title, ("id", id + "-title"));

    public HtmlWriter CloseSection() => Close("section");

    /// <summary>Opens a table in a container that scrolls on a narrow page.</summary>
    public HtmlWriter OpenTable(string caption, params ReadOnlySpan<ReportColumn> columns)
    {
        Open("div", ("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Table: " + caption))
            .Open("table")
            .Element("caption", caption);
        Open("thead").Open("tr");
        foreach (var column in columns)
        {
            Open("th", ("scope", "col"), ("class", column.Style)).Breakable(column.Name);
            if (column.Unit is not null)
            {
                Element("span", column.Unit, ("class", "unit"));
            }

            Close("th");
        }

        return Close("tr").Close("thead").Open("tbody");
    }

    public HtmlWriter CloseTable() => Close("tbody").Close("table").Close("div");

    /// <summary>A row that heads those below it, across the whole table.</summary>
    public HtmlWriter GroupRow(int columns, string title, string? remark = null)
    {
        Open("tr", ("class", "group")).Open("th", ("colspan", Span(columns)), ("scope", "rowgroup"));
        Open("span", ("class", "stay")).Text(title);
        if (!string.IsNullOrEmpty(remark))
        {
            Element("span", remark, ("class", "remark"));
        }

        return Close("span").Close("th").Close("tr");
    }

    /// <summary>A row of text that belongs to the one above it.</summary>
    public HtmlWriter DetailRow(int columns, string text, string style) =>
        Open("tr", ("class", "detail " + style)).Open("td", ("colspan", Span(columns))).Open("span", ("class", "stay"))
            .Prose(text)
            .Close("span").Close("td").Close("tr");

    public HtmlWriter RowHeader(string text) => Open("th", ("scope", "row")).Breakable(text).Close("th");

    public HtmlWriter Number(string text) =>
        Element("td", text, ("class", text is "0" or "0.00" or Figures.Absent ? "number nothing" : "number"));

    public HtmlWriter Numbers(IEnumerable<string> texts) => texts.Aggregate(this, (html, text) => html.Number(text));

    public HtmlWriter Cell(string text) => Element("td", text);

    public HtmlWriter Badge(string word, string style) => Element("span", word, ("class", "badge " + style));

    public override string ToString() => _html.ToString();

    /// <summary>Text that is markup already and holds no data: the style sheet.</summary>
    internal HtmlWriter Trusted(string markup)
    {
        _html.Append(markup);
        return this;
    }

    private HtmlWriter Begin(string tag, ReadOnlySpan<(string Name, string Value)> attributes)
    {
        _html.Append('<').Append(tag);
        foreach (var (name, value) in attributes)
        {
            _html.Append(' ').Append(name).Append("=\"").Append(WebUtility.HtmlEncode(VisibleText.Of(value)))
                .Append('"');
        }

        return this;
    }

    /// <summary>
    /// Text that a narrow column may break before a capital inside a word, as camel case has no other place.
    /// </summary>
    private HtmlWriter Breakable(string text)
    {
        var start = 0;
        for (var index = 1; index < text.Length; index++)
        {
            if (char.IsAsciiLetterUpper(text[index]) && char.IsAsciiLetterLower(text[index - 1]))
            {
                Text(text[start..index]).Trusted("<wbr/>");
                start = index;
            }
        }

        return Text(text[start..]);
    }

    [GeneratedRegex("(?<=[0-9]) (?=%|(ms|s|MB|GB|operations/s)\\b)")]
    private static partial Regex BeforeUnit();

    private static string Span(int columns) => columns.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
