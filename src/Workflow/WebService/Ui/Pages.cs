using System.Buffers;
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
/// Pages for people under <c>/ui</c>, over the same engine as the API and with the same access. They are not in the
/// API's description, and are timed together, as one route for looking and one for acting.
/// </summary>
internal sealed class Pages(
    IWorkflowEngine engine, BpmnDefinitions bpmn, BulkActions bulk, ServiceSettings settings, Sessions sessions,
    RequestBody bodies, Readiness readiness, TimeProvider timeProvider)
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
        Get("/ui/sign-in",
            context => SignInPage.WriteAsync(context, context.Request.Query["next"], null, StatusCodes.Status200OK));
        Post("/ui/sign-in", SignIn);
        Post("/ui/sign-out", SignOut);
        new DefinitionPages(engine).Map(this);
        new RegisterPage(engine, bpmn).Map(this);
        new InstancePages(engine, timeProvider).Map(this);
        new BulkPages(engine, bulk).Map(this);
        new SignalPage(engine).Map(this);
        new TaskPages(engine, settings).Map(this);
        new DeadLetterPages(engine).Map(this);
        new OverviewPages(engine, readiness, timeProvider).Map(this);
        ApiPage.Map(this);
    }

    public void Get(string pattern, RequestDelegate page) =>
        Add(_routes!.MapMethods(pattern, [HttpMethods.Get, HttpMethods.Head], page), _looking!);

    /// <summary>Leads a browser from the root of the service to the pages. Programs get the API's answer.</summary>
    public static Task RedirectRootAsync(HttpContext context, RequestDelegate next)
    {
        var request = context.Request;
        if (request.Path != "/" || !HttpMethods.IsGet(request.Method)
            || !request.GetTypedHeaders().Accept.Any(type => type.MediaType == "text/html" && type.Quality is not 0))
        {
            return next(context);
        }

        context.Response.Headers.Vary = "Accept";
        context.Response.Redirect(AccessMiddleware.Pages);
        return Task.CompletedTask;
    }

    /// <summary>Maps an action: a form of the pages, sent by a user with full access.</summary>
    /// <param name="page">The page that has the form. It is shown again if the form is refused.</param>
    public void Post(string pattern, Func<HttpContext, Form, Task> act, RequestDelegate? page = null) =>
        Add(_routes!.MapPost(pattern, async context =>
        {
            ForeignPages.Refuse(context.Request);
            await ActAsync(context, await bodies.ReadAsync(context, Form.Parse, Form.MediaType), act, page);
        }), _acting!);

    /// <summary>Maps an action whose form has a file.</summary>
    /// <param name="page">The page that has the form. It is shown again if the form is refused.</param>
    public void PostFile(string pattern, Func<HttpContext, Form, Task> act, RequestDelegate page) =>
        Add(_routes!.MapPost(pattern, async context =>
        {
            ForeignPages.Refuse(context.Request);
            var body = await bodies.ReadAsync(context, static body => body.ToArray(), Form.MultipartMediaType);
            await ActAsync(context, await Form.ReadMultipartAsync(context.Request, body), act, page);
        }), _acting!);

    private async Task ActAsync(
        HttpContext context, Form form, Func<HttpContext, Form, Task> act, RequestDelegate? page)
    {
        try
        {
            await act(context, form);
        }
        catch (Exception e) when (page is not null && !context.Response.HasStarted
            && ProblemMapping.From(e, context.Request, settings.MaxBodyBytes) is { Status: < 500 } problem)
        {
            ProblemResponse.AddRetryAfter(context, problem);
            context.Features.Set(new RefusedForm(form, problem));
            await page(context);
        }
    }

    private static void Add(IEndpointConventionBuilder route, RouteDurations durations) =>
        route.WithMetadata(durations).ExcludeFromDescription();

    private Task SignIn(HttpContext context, Form form)
    {
        var key = settings.AccessKeys.Find(form["key"]);
        if (key is null && settings.AccessKeys.AreRequired)
        {
            return SignInPage.WriteAsync(
                context, form["next"], "The service does not know this key.", StatusCodes.Status403Forbidden);
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
