using System.Buffers;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;
using Workflow.Abstractions;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Metrics;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Ui;

/// <summary>
/// Pages for people under <c>/ui</c>, over the same engine as the API and with the same access. They are not in the API's description, and
/// are timed together, as one route for looking and one for acting.
/// </summary>
internal sealed class Pages(
    IWorkflowEngine engine, ServiceSettings settings, Sessions sessions, RequestBody bodies, Readiness readiness, TimeProvider timeProvider)
{
    private RouteDurations? _looking;
    private RouteDurations? _acting;
    private IEndpointRouteBuilder? _routes;

    public void Map(IEndpointRouteBuilder routes, ServiceMetrics metrics)
    {
        _routes = routes;
        _looking = metrics.AddRoute("GET", AccessMiddleware.Pages);
        _acting = metrics.AddRoute("POST", AccessMiddleware.Pages);
        Get("/ui/style.css", context => StaticFile.WriteAsync(context, "style.css", "text/css"));
        Get("/ui/icon.svg", context => StaticFile.WriteAsync(context, "icon.svg", "image/svg+xml"));
        Get("/ui/view.js", context => StaticFile.WriteAsync(context, "view.js", "text/javascript"));
        Get("/ui/sign-in", context => SignInPage.WriteAsync(context, context.Request.Query["next"], null, StatusCodes.Status200OK));
        Post("/ui/sign-in", SignIn);
        Post("/ui/sign-out", SignOut);
        new DefinitionPages(engine).Map(this);
        new InstancePages(engine, timeProvider).Map(this);
        new TaskPages(engine).Map(this);
        new DeadLetterPages(engine).Map(this);
        new OverviewPages(engine, readiness, timeProvider).Map(this);
    }

    public void Get(string pattern, RequestDelegate page) => Add(_routes!.MapGet(pattern, page), _looking!);

    /// <summary>An action: a form of this service's own pages, which somebody sends who may act.</summary>
    public void Post(string pattern, Func<HttpContext, Form, Task> act) => Add(_routes!.MapPost(pattern, async context =>
    {
        ForeignPages.Refuse(context.Request);
        await act(context, await bodies.ReadAsync(context, Form.Parse, Form.MediaType));
    }), _acting!);

    private static void Add(IEndpointConventionBuilder route, RouteDurations durations) =>
        route.WithMetadata(durations).ExcludeFromDescription();

    private Task SignIn(HttpContext context, Form form)
    {
        var key = settings.AccessKeys.Find(form["key"]);
        if (key is null && settings.AccessKeys.AreRequired)
        {
            return SignInPage.WriteAsync(context, form["next"], "That is none of the service's keys.", StatusCodes.Status403Forbidden);
        }

        if (key is not null)
        {
            sessions.Begin(context, key);
        }

        return Page.RedirectAsync(context, SignInPage.Local(form["next"]));
    }

    private Task SignOut(HttpContext context, Form form)
    {
        sessions.End(context);
        return Page.RedirectAsync(context, "/ui/sign-in");
    }
}

/// <summary>The fields of a form that was sent.</summary>
internal sealed class Form(Dictionary<string, StringValues> fields)
{
    public const string MediaType = "application/x-www-form-urlencoded";

    /// <summary>The text of a field; null where it is empty or missing.</summary>
    public string? this[string field] => fields.GetValueOrDefault(field).ToString() is { Length: > 0 } text ? text : null;

    /// <summary>A form that is sent twice, by a double click or a reload, has one effect.</summary>
    public string? IdempotencyKey => this["once"];

    /// <summary>The hidden field behind <see cref="IdempotencyKey"/>.</summary>
    public static Html Once => Html.Of($"<input type=\"hidden\" name=\"once\" value=\"{Guid.NewGuid()}\">");

    /// <summary>A field for a value as JSON.</summary>
    public static Html JsonField(string name, string label) => Html.Of($"""
        <p><label for="{name}">{label}</label> <textarea id="{name}" name="{name}" rows="5" spellcheck="false"></textarea></p>
        """);

    public static Form Parse(ReadOnlySequence<byte> body) => new(QueryHelpers.ParseQuery(Encoding.UTF8.GetString(body)));

    /// <summary>A required text.</summary>
    public string Required(string field, string label) => this[field] ?? throw new ProblemException(new Problem(
        StatusCodes.Status400BadRequest, "field-missing", $"The field '{label}' is empty, and it is required."));

    /// <summary>A value that was entered as JSON; null where nothing was.</summary>
    public Value Json(string field, string label, bool isObject = false)
    {
        var text = this[field];
        if (string.IsNullOrWhiteSpace(text))
        {
            return Value.Null;
        }

        Value value;
        try
        {
            value = Value.Parse(text);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            var where = e is JsonException { LineNumber: { } line, BytePositionInLine: { } position }
                ? $" at line {line + 1}, position {position + 1}" : "";
            throw NotValid(label, $"is not JSON{where}: {Page.Cut(text, 200)}", e);
        }

        return isObject && value.Kind is not (ValueKind.Null or ValueKind.Context)
            ? throw NotValid(label, $"is no JSON object: {Page.Cut(text, 200)}", null)
            : value;
    }

    private static ProblemException NotValid(string label, string what, Exception? inner) => new(new Problem(
        StatusCodes.Status400BadRequest, "field-invalid", $"The field '{label}' {what}. Write JSON, e.g. {{\"ok\": true}}."), inner);
}

/// <summary>Files of this assembly: a browser keeps them, and asks whether they are still the same.</summary>
internal static class StaticFile
{
    public static async Task WriteAsync(HttpContext context, string name, string contentType)
    {
        await using var file = typeof(StaticFile).Assembly.GetManifestResourceStream(typeof(StaticFile), name)
            ?? throw new InvalidOperationException($"The assembly has no file {name}.");
        using var reader = new StreamReader(file);
        var text = await reader.ReadToEndAsync(context.RequestAborted);
        if (!EntityTag.IsKnown(context, EntityTag.Of(text)))
        {
            await JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, $"{contentType}; charset=utf-8", text);
        }
    }
}
