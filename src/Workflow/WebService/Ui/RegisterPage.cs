using Workflow.Abstractions;
using Workflow.Bpmn;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Ui;

/// <summary>Checks and registers a definition (JSON) or a BPMN file that is chosen or pasted.</summary>
internal sealed class RegisterPage(IWorkflowEngine engine, BpmnDefinitions bpmn)
{
    private const string Section = "/ui/definitions";
    private const string Address = "/ui/register";

    public void Map(Pages pages)
    {
        pages.Get(Address, ShowAsync);
        pages.PostFile(Address, SubmitAsync, ShowAsync);
    }

    private static Task ShowAsync(HttpContext context) =>
        WriteAsync(context, RefusedForm.Of(context)?.Form, Html.Nothing);

    // A registration is not tied to the connection: once it has begun, it is finished.
    private async Task SubmitAsync(HttpContext context, Form form)
    {
        var content = Content(form);
        var isBpmn = IsBpmn(content);
        var reading = Reading(form, isBpmn);
        if (form["action"] == "register")
        {
            var (registered, created) = isBpmn
                ? await bpmn.RegisterAsync(content, reading, CancellationToken.None)
                : await engine.RegisterDefinitionAsync(content, CancellationToken.None);
            await WriteAsync(context, form, Registered(registered, created));
            return;
        }

        var found = isBpmn
            ? await bpmn.ValidateAsync(content, reading, context.RequestAborted)
            : engine.ValidateDefinition(content);
        await WriteAsync(context, form, found.Valid ? Valid(found) : Problems(found.Errors));
    }

    private static Task WriteAsync(HttpContext context, Form? form, Html outcome) => Page.WriteAsync(
        context, Section, "Register a definition", Html.Of($"""
            {outcome}
            {(Page.MayAct(context) ? Fields(form) : Page.NeedsFullAccess("register"))}
            """));

    private static Html Fields(Form? form) => Html.Of($"""
        <form class="panel wide" method="post" action="{Address}" enctype="multipart/form-data">
        <p><label for="file">File (BPMN 2.0 or JSON)</label>
        <input id="file" name="file" type="file" accept=".bpmn,.xml,.json"></p>
        <p><label for="text">Or its text</label>
        <textarea id="text" name="text" rows="12" spellcheck="false">
        {form?["text"]}</textarea></p>
        <p><label for="unknown">Attributes and extensions of a BPMN file that are not known</label>
        <select id="unknown" name="unknown"><option value="refuse">Refuse the file</option><option value="report"{
            Html.If(form?["unknown"] == "report", $" selected")
            }>Pass over what changes nothing, and list it</option></select></p>
        <p><button name="action" value="check" class="quiet">Check</button>
        <button name="action" value="register">Register</button></p>
        </form>
        """);

    private static Html Valid(DefinitionValidation found) => Html.Of($"""
        <p class="done" role="status">The definition is valid. It has not been registered.</p>
        {Notes(found.Warnings, found.PassedOver)}
        """);

    private static Html Problems(IReadOnlyList<DefinitionProblem> errors) => Html.Of($"""
        <p class="error" role="alert">The definition is not valid: {Page.Count(errors.Count)} {
            (errors.Count == 1 ? "error" : "errors")}. Nothing was registered.</p>
        {ProblemTable("Errors", errors)}
        """);

    private static Html Registered(DefinitionInfo registered, bool created)
    {
        var rows = (registered.Definitions ?? [registered]).Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Link(Url.Definition(one.Name, one.Version), one.Name)}</th>
            <td class="number">{one.Version}</td><td>{Page.Time(one.RegisteredUtc)}</td></tr>

            """)).ToList();
        return Html.Of($"""
            <p class="done" role="status">{(created ? "Registered." : "The same content was already registered.")}</p>
            {Page.Table("Definitions, times in UTC", ["Name", "#Version", "Registered"], rows, "None.")}
            {Notes(registered.Warnings, registered.PassedOver)}
            """);
    }

    private static Html Notes(IReadOnlyList<DefinitionProblem>? warnings, IReadOnlyList<PassedOver>? passedOver)
    {
        var rows = (passedOver ?? []).Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Text(one.Path)}</th><td>{one.Kind}</td><td><code>{one.Name}</code></td>
            <td><code>{one.Namespace}</code></td><td class="number">{one.Line}</td>
            <td class="number">{one.Column}</td></tr>

            """)).ToList();
        return Html.Of($"""
            {Html.If(warnings is not null, $"{ProblemTable("Warnings", warnings ?? [])}")}
            {Html.If(rows.Count > 0, $"""
                {Page.Table("Passed over: these have no effect here",
                    ["Element", "Kind", "Name", "Namespace", "#Line", "#Column"], rows, "None.")}
                """)}
            """);
    }

    private static Html ProblemTable(string caption, IReadOnlyList<DefinitionProblem> problems) => Page.Table(
        caption, ["Where", "What", "#Line", "#Column"], [.. problems.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Text(one.Path)}</th><td class="prose">{one.Message}</td>
            <td class="number">{Page.Number(one.Line)}</td><td class="number">{Page.Number(one.Column)}</td></tr>

            """))], "None.");

    private static byte[] Content(Form form)
    {
        var content = form.File("file")
            ?? (form["text"] is { } text && !string.IsNullOrWhiteSpace(text) ? Encoding.UTF8.GetBytes(text) : null)
            ?? throw new ProblemException(new Problem(
                StatusCodes.Status400BadRequest, "field-missing", "Choose a file or paste its text: both are empty."));
        return content.AsSpan().StartsWith("\uFEFF"u8) && !IsBpmn(content) ? content[3..] : content;
    }

    /// <summary>JSON begins with a brace; any other content is read as XML, whose errors name what is wrong.</summary>
    private static bool IsBpmn(byte[] content)
    {
        var text = content.AsSpan();
        text = text.StartsWith("\uFEFF"u8) ? text[3..] : text;
        return !text.TrimStart(" \t\r\n"u8).StartsWith("{"u8);
    }

    private static BpmnReading Reading(Form form, bool isBpmn)
    {
        var unknown = form["unknown"] switch
        {
            null or "refuse" => UnknownContent.Refuse,
            "report" => UnknownContent.Report,
            var other => throw new ProblemException(new Problem(
                StatusCodes.Status400BadRequest, "field-invalid",
                $"unknown is '{other}': refuse or report is expected.")),
        };
        return new BpmnReading
        {
            Unknown = isBpmn ? unknown : UnknownContent.Refuse,
            // A browser sends pasted text in UTF-8, whatever its XML declaration says.
            Charset = form.File("file") is null ? "utf-8" : null,
        };
    }
}
