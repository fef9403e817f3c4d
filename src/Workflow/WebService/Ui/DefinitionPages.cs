using Workflow.Abstractions;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>Definitions by name, and each with its versions, picture, steps and documentation.</summary>
internal sealed class DefinitionPages(IWorkflowEngine engine)
{
    private const string Section = "/ui/definitions";
    private const string Start = "/ui/definition/start";
    private const int MostSteps = 300;

    /// <summary>Members of a step that have a separate column, or are not shown.</summary>
    private static readonly string[] Shown = ["type", "title", "documentation", "source"];

    /// <summary>Sizes of a diagram; <c>style.css</c> says what each means. The first is the default.</summary>
    private static readonly (string Id, string Title)[] Sizes =
    [
        ("fit-width", "Fit the width"), ("fit-page", "Fit the page"), ("full-size", "Full size"),
        ("double-size", "Double size"),
    ];

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/definition", ShowAsync);
        pages.Post(Start, StartAsync, ShowAsync);
    }

    private Task ListAsync(HttpContext context)
    {
        var query = context.Request.Query;
        RequestValues.OnlyKnown(query, "name", "after");
        var (part, after) = (query["name"].ToString(), query["after"].ToString());
        var found = engine.ListDefinitions()
            .Where(one => string.CompareOrdinal(one.Name, after) > 0
                && one.Name.Contains(part, StringComparison.OrdinalIgnoreCase))
            .GroupBy(one => one.Name, StringComparer.Ordinal).OrderBy(versions => versions.Key, StringComparer.Ordinal)
            .Take(Page.Rows + 1).Select(
                versions => (Newest: versions.MaxBy(one => one.Version)!, Count: versions.Count())).ToList();
        var rows = found.Take(Page.Rows).Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Link(Url.Definition(one.Newest.Name), one.Newest.Name)}</th>
            <td class="number">{one.Newest.Version}</td><td class="number">{one.Count}</td>
            <td>{Page.Time(one.Newest.RegisteredUtc)}</td>
            <td>{Page.Link(Url.Of("/ui/instances", ("definition", one.Newest.Name)), "instances")}</td></tr>

            """)).ToList();
        return Page.WriteAsync(context, Section, "Definitions", Html.Of($"""
            {Page.Filter(Section, Page.Field("name", "Name contains", query))}
            {Page.Table("Definitions by name, times in UTC",
                ["Name", "#Newest version", "#Versions", "Registered", "Instances"], rows,
                part.Length + after.Length > 0 ? "No definition matches this name." : "There is none yet.")}
            <p>{Page.Link("/ui/register", "Register a definition or a BPMN file")}</p>
            {Page.Paging(after.Length > 0 ? Url.Of(Section, ("name", part)) : null,
                found.Count > Page.Rows
                    ? Url.Of(Section, ("name", part), ("after", found[Page.Rows - 1].Newest.Name))
                    : null)}
            """));
    }

    private Task ShowAsync(HttpContext context)
    {
        var query = context.Request.Query;
        RequestValues.OnlyKnown(query, "name", "version");
        var name = query["name"].ToString();
        using var document = JsonDocument.Parse(engine.GetDefinition(name, RequestValues.OptionalVersion(query)));
        var definition = document.RootElement;
        var version = definition.GetProperty("version").GetInt32();
        var versions = engine.ListDefinitions().Where(one => one.Name == name).OrderByDescending(one => one.Version)
            .ToList();
        var json = $"/definitions/{Uri.EscapeDataString(name)}/versions/{version}";
        var code = $"/definitions/{Uri.EscapeDataString(name)}/code";
        var steps = definition.GetProperty("steps").EnumerateObject().ToList();
        var documentation = Text(definition, "documentation");
        return Page.WriteAsync(context, Section, Text(definition, "title") ?? name, Html.Of($"""
            {Page.Facts(
                ("Name", Page.Text(name)),
                ("Version", Html.Of($"{version}{Html.If(versions[0].Version > version, $" (not the newest)")}")),
                ("Registered", Page.Time(versions.FirstOrDefault(one => one.Version == version)?.RegisteredUtc)),
                ("Source", Source(definition)), ("Steps", Html.Of($"{steps.Count}")),
                ("As", Html.Of($"""
                    {Page.Link(json, "JSON")} · {Page.Link(Url.Of(code, ("version", $"{version}")), "C#")} ·
                    {Page.Link(Url.Diagram(name, version, format: "bpmn"), "BPMN")} ·
                    {Page.Link(Url.Diagram(name, version, format: "mermaid"), "Mermaid")}
                    """)),
                ("Instances", Page.Link(Url.Of("/ui/instances", ("definition", name)), "of all versions")))}
            {Html.If(documentation is not null, $"<p class=\"prose\">{documentation}</p>")}
            {Html.If(Page.MayAct(context), $"""
                <div class="actions">
                <details{Html.If(RefusedForm.IsOf(context, Start), $" open")}><summary>Start an instance</summary>
                <form class="panel" method="post" action="{
                    Url.Of(Start, ("name", name), ("version", $"{version}"))}">{Form.Once}
                {Form.JsonField(context, "input", "Input (a JSON object, may be empty)")}
                {Form.TextField(context, "correlationKey", "Correlation key (may be empty)", 512, isRequired: false)}
                <p><button>Start an instance of version {version}</button></p></form></details>
                </div>
                """)}
            <h2>Diagram</h2>
            {Diagram(name, version, null)}
            <p>{Page.Link(
                Url.Diagram(name, version, counts: true),
                "With the number of unfinished and failed instances at each step")}</p>
            <h2>Steps</h2>
            {Page.Table("Steps by name", ["Step", "Type", "Documentation", "Definition"],
                [.. steps.Take(MostSteps).Select(step => Step(step, definition))], "None.")}
            {Page.More(Math.Min(steps.Count, MostSteps), steps.Count, json)}
            <h2>Versions</h2>
            {Page.Table("Versions, newest first, times in UTC", ["Version", "Registered", "Content hash"],
                [.. versions.Take(Page.Rows).Select(one => Version(one, version))], "None.")}
            {Page.More(Math.Min(versions.Count, Page.Rows), versions.Count, Url.Of("/definitions", ("name", name)))}
            """));
    }

    // Not tied to the connection: a command that was taken cannot be taken back.
    private async Task StartAsync(HttpContext context, Form form)
    {
        var query = context.Request.Query;
        RequestValues.OnlyKnown(query, "name", "version");
        var started = await engine.StartAsync(
            new StartCommand
            {
                Definition = query["name"].ToString(),
                Version = RequestValues.OptionalVersion(query),
                Input = form.Json("input", "Input", isObject: true),
                CorrelationKey = form["correlationKey"],
                IdempotencyKey = form.IdempotencyKey,
            },
            CancellationToken.None);
        await Page.RedirectAsync(context, $"/ui/instances/{started.Id}?done=started");
    }

    /// <summary>
    /// A picture, which the browser asks for once the page is there: the service draws one at a time. Its size is the
    /// target of the address, so that it needs no script and can be sent to somebody else.
    /// </summary>
    public static Html Diagram(string name, int version, Guid? instance) => Html.Of($"""
        <nav class="quick" aria-label="Size of the diagram">{Sizes.Select(size =>
            Html.Of($"{Page.Link($"#{size.Id}", size.Title)} "))}</nav>
        {Html.Join(Sizes.Select(size => Html.Of($"<div id=\"{size.Id}\">")))}<div class="scroll diagram" tabindex="0"
        role="region" aria-label="Diagram"><a
        href="{Url.Diagram(name, version, instance)}">
        <img alt="Diagram of {name}, version {version}; the tables say the same"
        src="{Url.Diagram(name, version, instance)}"></a></div>{
            Html.Join(Sizes.Select(_ => Html.Of($"</div>")))}
        <p>{Page.Link(
            Url.Diagram(name, version, instance, format: "mermaid"),
            "As Mermaid text, also where it is too large for a picture")}</p>
        """);

    private static Html Step(JsonProperty step, JsonElement definition)
    {
        var isStart = definition.GetProperty("start").GetString() == step.Name;
        var members = step.Value.EnumerateObject().Where(member => !Shown.Contains(member.Name))
            .Select(member => Html.Of(
                $"<div><b>{member.Name}</b> <code>{Page.Cut(Leaf(member.Value), 300)}</code></div>"));
        return Html.Of($"""
            <tr><th scope="row">{Page.Text(step.Name)}{Html.If(isStart, $" {Page.Badge("start", "live")}")}</th>
            <td>{Text(step.Value, "type")}</td>
            <td class="prose">{Html.If(Text(step.Value, "title") is not null, $"<b>{Text(step.Value, "title")}</b> ")}{
                Text(step.Value, "documentation")}{Source(step.Value)}</td>
            <td class="members">{members}</td></tr>

            """);
    }

    private static Html Version(DefinitionInfo one, int shown) => Html.Of($"""
        <tr><th scope="row"><a href="{Url.Definition(one.Name, one.Version)}"{
            Html.If(one.Version == shown, $" aria-current=\"true\"")}>{one.Version}</a></th>
        <td>{Page.Time(one.RegisteredUtc)}</td><td><code>{one.ContentHash}</code></td></tr>

        """);

    private static string Leaf(JsonElement value) =>
        value.ValueKind == JsonValueKind.String ? value.GetString()! : Value.From(value).ToString();

    private static Html Source(JsonElement owner)
    {
        if (!owner.TryGetProperty("source", out var source))
        {
            return Html.Nothing;
        }

        var line = source.TryGetProperty("line", out var number) ? $"line {number}" : null;
        var parts = new[] { Text(source, "document"), Text(source, "element"), line };
        return Html.Of($"<span class=\"source\">{string.Join(", ", parts.Where(part => part is not null))}</span>");
    }

    private static string? Text(JsonElement owner, string member) =>
        owner.TryGetProperty(member, out var value) && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;
}
