using Workflow.Abstractions;
using Workflow.Contracts.Instances;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Ui;

/// <summary>What every page has: its frame, and how tables, values, times and states look.</summary>
internal static class Page
{
    /// <summary>Rows of a list, and of each table of a page.</summary>
    public const int Rows = 50;

    /// <summary>Characters of a value; what is longer is cut, and the whole is one link away.</summary>
    private const int LongestValue = 20_000;

    private const string Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private static readonly (string Path, string Title)[] Sections =
    [
        ("/ui", "Overview"), ("/ui/definitions", "Definitions"), ("/ui/instances", "Instances"), ("/ui/tasks", "Tasks"),
        ("/ui/dead-letters", "Dead letters"), ("/ui/events", "Events"), ("/ui/load", "Load"), (ApiPage.Address, "API"),
    ];

    public static bool MayAct(HttpContext context) =>
        context.Features.Get<AccessGrant>() is not { Level: AccessLevel.Read };

    /// <summary>In place of a form, for a key that can only read.</summary>
    /// <param name="action">What the form does, e.g. <c>register</c>.</param>
    public static Html NeedsFullAccess(string action) => Html.Of(
        $"<p class=\"nothing\">This key can only read. Sign in with a key with full access to {action}.</p>");

    /// <param name="section">The path of the section that the page is of; null: of none.</param>
    /// <param name="script">Whether the page goes on by script; it says all that it has without, too.</param>
    public static Task WriteAsync(
        HttpContext context, string? section, string title, Html content, int status = StatusCodes.Status200OK,
        bool script = false)
    {
        var refused = RefusedForm.Of(context)?.Problem;
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.CacheControl = "no-store";
        headers["Referrer-Policy"] = "same-origin";
        var page = Html.Of($"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>{title} - Workflow</title>
            <link rel="stylesheet" href="/ui/style.css">
            <link rel="icon" href="/ui/icon.svg" type="image/svg+xml">
            {Html.If(script, $"<script src=\"/ui/view.js\" defer></script>")}
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header><div class="bar"><span class="name">Workflow</span>{
                Html.If(section is not null, $"{Navigation(context, section)}")}</div></header>
            <main id="content">
            <h1>{title}</h1>
            {(refused is null ? Html.Nothing : ProblemPage.Alert(refused))}
            {content}
            </main>
            </body>
            </html>

            """);
        return JsonResponse.WriteTextAsync(
            context, refused?.Status ?? status, "text/html; charset=utf-8", page.ToString());
    }

    public static Task RedirectAsync(HttpContext context, string url)
    {
        context.Response.StatusCode = StatusCodes.Status303SeeOther;
        context.Response.Headers.Location = url;
        return Task.CompletedTask;
    }

    private static Html Navigation(HttpContext context, string? section) => Html.Of($"""
        <nav aria-label="Sections">{Sections.Select(one => Html.Of($"""
            <a href="{one.Path}"{Html.If(one.Path == section, $" aria-current=\"page\"")}>{one.Title}</a>

            """))}</nav>
        {(context.Features.Get<AccessGrant>() is { } grant
            ? Html.Of($"""
                <form class="session" method="post" action="/ui/sign-out">{
                    Html.If(grant.Level == AccessLevel.Read, $"<span class=\"badge\">read only</span> ")
                    }<button class="quiet">Sign out</button></form>
                """)
            : Html.Nothing)}
        """);

    /// <summary>A table that scrolls within the page where it is wider.</summary>
    /// <param name="columns">Their names; a column of figures has # in front.</param>
    /// <param name="rows">Each a <c>tr</c>.</param>
    /// <param name="nothing">What to say where there are none.</param>
    public static Html Table(
        string caption, ReadOnlySpan<string> columns, IReadOnlyCollection<Html> rows, string nothing)
    {
        if (rows.Count == 0)
        {
            return Html.Of($"<p class=\"nothing\">{nothing}</p>");
        }

        var heads = Html.Join(columns.ToArray().Select(column => column.StartsWith('#')
            ? Html.Of($"<th scope=\"col\" class=\"number\">{column[1..]}</th>")
            : Html.Of($"<th scope=\"col\">{column}</th>")));
        return Html.Of($"""
            <div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>
            <caption>{caption}</caption>
            <thead><tr>{heads}</tr></thead>
            <tbody>
            {rows}
            </tbody></table></div>
            """);
    }

    /// <summary>Names and values; those without a value are left out.</summary>
    public static Html Facts(params ReadOnlySpan<(string Name, Html Value)> facts) => Html.Of($"""
        <dl class="facts">
        {Html.Join(facts.ToArray().Where(fact => !fact.Value.IsEmpty).Select(fact =>
            Html.Of($"<div><dt>{fact.Name}</dt><dd>{fact.Value}</dd></div>\n")))}</dl>
        """);

    public static Html Text(string? text) => text is null ? Html.Nothing : Html.Of($"<bdi>{text}</bdi>");

    public static Html Link(string url, string text) => Html.Of($"<a href=\"{url}\">{text}</a>");

    public static Html Instance(Guid? id) => id is { } instance ? Id("/ui/instances", instance) : Html.Nothing;

    public static Html Id(string section, Guid id) => Html.Of($"<a class=\"id\" href=\"{section}/{id}\">{id}</a>");

    public static Html Definition(string name, int? version) =>
        Link(Url.Definition(name, version), $"{name} {version}");

    /// <summary>A field of a filter, with what was asked for.</summary>
    public static Html Field(string name, string label, IQueryCollection given, string example = "") => Html.Of($"""
        <p><label for="{name}">{label}</label>
        <input id="{name}" name="{name}" value="{given[name].ToString()}" placeholder="{example}"></p>

        """);

    /// <summary>A choice of a filter; without one of <paramref name="words"/> asked for, the first.</summary>
    public static Html Choice(string name, string label, IQueryCollection given, IEnumerable<string> words)
    {
        var options = words.Select(word => Html.Of($"""
            <option value="{(word == "any" ? "" : word)}"{Html.If(word == given[name], $" selected")}>{word}</option>
            """));
        return Html.Of(
            $"<p><label for=\"{name}\">{label}</label> <select id=\"{name}\" name=\"{name}\">{options}</select></p>\n");
    }

    /// <summary>A form whose fields make up the address of a list.</summary>
    public static Html Filter(string section, params ReadOnlySpan<Html> fields) => Html.Of($"""
        <form class="filter" method="get" action="{section}">
        {Html.Join(fields.ToArray())}<p><button>Filter</button></p>
        </form>
        """);

    public static Html Time(DateTimeOffset? instant) => instant?.UtcDateTime is not { } at
        ? Html.Nothing
        : Html.Of($"<time datetime=\"{at:yyyy-MM-ddTHH:mm:ss.fffZ}\">{at:yyyy-MM-dd HH:mm:ss.fff}</time>");

    public static string Word<T>(T value)
        where T : struct, Enum => JsonNamingPolicy.CamelCase.ConvertName(value.ToString());

    public static Html State(InstanceState state) => Badge(Word(state), state switch
    {
        InstanceState.Completed => "good",
        InstanceState.Failed => "bad",
        InstanceState.Suspended or InstanceState.Cancelled => "unsure",
        _ => "live",
    });

    public static Html Badge(string word, string style) => Html.Of($"<span class=\"badge {style}\">{word}</span>");

    /// <summary>A number without separators; null for null.</summary>
    public static string? Number(int? number) => number?.ToString(CultureInfo.InvariantCulture);

    public static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>A value as JSON, cut where it is long.</summary>
    public static Html Json(JsonElement? value, int longest = LongestValue)
    {
        if (value is not { } element)
        {
            return Html.Nothing;
        }

        var shown = Value.From(element);
        var text = shown.ToString();
        return text.Length > longest
            ? Html.Of($"""
                <pre>{Cut(text, longest)}</pre>
                <p class="cut">The first {Count(longest)} of {Count(text.Length)} characters.</p>
                """)
            : Html.Of($"<pre>{shown.ToIndentedString()}</pre>");
    }

    /// <summary>
    /// The members of an object, each a row. Together they have as many characters as one value may have.
    /// </summary>
    public static Html Members(string caption, JsonElement members, string whole)
    {
        List<Html> rows = [];
        var left = LongestValue;
        var count = 0;
        foreach (var member in members.ValueKind == JsonValueKind.Object ? members.EnumerateObject().ToArray() : [])
        {
            count++;
            if (rows.Count < Rows && left > 0)
            {
                rows.Add(Html.Of(
                    $"<tr><th scope=\"row\">{Text(member.Name)}</th><td>{Json(member.Value, left)}</td></tr>\n"));
                left -= Math.Min(left, member.Value.GetRawText().Length);
            }
        }

        return Html.Of($"{Table(caption, ["Name", "Value"], rows, "None.")}{More(rows.Count, count, whole)}");
    }

    /// <summary>
    /// Where the script says whether it follows the events, and from where on: it adds them to the table, or loads the
    /// list of the page again.
    /// </summary>
    public static Html Live(EventPosition from, string? definition = null) => Html.Of($"""
        <p id="live" class="nothing" hidden role="status" data-position="{from.ToString()}"
        data-url="{Url.Of("/events", ("definition", definition))}"></p>
        """);

    /// <summary>Says that a table was cut, and where the whole is.</summary>
    public static Html More(int shown, int all, string whole) => Html.If(
        all > shown,
        $"<p class=\"cut\">{Count(shown)} of {Count(all)} are shown. <a href=\"{whole}\">All of them as JSON</a></p>");

    /// <summary>Links to the first and to the next page of a list.</summary>
    /// <param name="first">Null on the first page.</param>
    /// <param name="next">Null on the last.</param>
    public static Html Paging(string? first, string? next) => Html.If(first is not null || next is not null, $"""
        <nav class="paging" aria-label="Pages of the list">
        {Html.If(first is not null, $"<a href=\"{first}\">First page</a>")}
        {Html.If(next is not null, $"<a href=\"{next}\" rel=\"next\">Next page</a>")}</nav>
        """);

    public static string Cut(string text, int longest) =>
        text.Length <= longest ? text : text[..(longest - 1)] + "\u2026";

    /// <summary>
    /// What an action has done. A page that was not just sent to after one says nothing, nor does one whose address
    /// says what does not hold any more, or never did.
    /// </summary>
    public static Html Done(HttpContext context, params ReadOnlySpan<(string Word, bool Holds, string Sentence)> known)
    {
        var done = context.Request.Query["done"].ToString();
        foreach (var (word, holds, sentence) in known)
        {
            if (done == word && holds)
            {
                return Html.Of($"<p class=\"done\" role=\"status\">{sentence}</p>");
            }
        }

        return Html.Nothing;
    }
}
