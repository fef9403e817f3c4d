using System.Buffers;
using Microsoft.AspNetCore.Mvc;
using Workflow.Abstractions;
using Workflow.Abstractions.Building;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class DefinitionEndpoints(IWorkflowEngine engine, BpmnDefinitions bpmn, RequestBody bodies)
{
    private readonly OneAtATime _writing = new();

    public void Map(RouteMap routes)
    {
        routes.Post("/definitions", RegisterAsync,
            "Registers a definition (canonical JSON), or every executable process of a BPMN 2.0 file (XML), each with "
                + "the next"
            + " version. 201 when it is new, 200 when the same content was there. unknown=report passes over what is "
            + "not known of a BPMN file and changes nothing, and lists it; refuse is the default.")
            .Accepts<object>(RequestBody.Json, RequestBody.Xml).Produces<DefinitionInfo>(201).Produces<DefinitionInfo>()
            .ProducesProblems(400, 409, 422);
        routes.Post("/definitions/validate", ValidateAsync,
            "Checks a definition, or a BPMN 2.0 file (XML), without registering it. unknown as for POST /definitions.")
            .Accepts<object>(RequestBody.Json, RequestBody.Xml).Produces<DefinitionValidation>().ProducesProblem(400);
        routes.Get("/definitions", ListAsync,
            "Definitions by name and version: all, those of a name, or a page of them, whose header Link leads to the "
                + "next.")
            .Produces<IReadOnlyList<DefinitionInfo>>().ProducesProblem(400);
        routes.Get("/definitions/{name}", NewestAsync, "The newest version of a definition.")
            .Produces<object>().Produces(304).ProducesProblem(404);
        routes.Get("/definitions/{name}/versions/{version}", VersionAsync, "One version of a definition.")
            .Produces<object>().Produces(304).ProducesProblems(400, 404);
        routes.Get("/definitions/{name}/code", CodeAsync,
            "The newest version of a definition, or the one asked for, as C# that builds it.")
            .Produces<string>(200, "text/plain").ProducesProblems(400, 404);
    }

    // What is registered is found again by its content, with a key or without. The parameters are declared for the
    // description alone.
    private async Task RegisterAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey,
        string? unknown)
    {
        _ = RequestValues.IdempotencyKey(context.Request);
        var reading = RequestValues.Reading(context.Request, IsBpmn(context));
        var (definition, created) = IsBpmn(context)
            ? await bpmn.RegisterAsync(await FileAsync(context), reading, context.RequestAborted)
            : await engine.RegisterDefinitionAsync(
                await bodies.ReadAsync(context, CommandBodies.Definition), context.RequestAborted);
        context.Response.Headers.Location =
            $"/definitions/{Uri.EscapeDataString(definition.Name)}/versions/{definition.Version}";
        await JsonResponse.WriteAsync(
            context, created ? StatusCodes.Status201Created : StatusCodes.Status200OK, definition);
    }

    private async Task ValidateAsync(HttpContext context, string? unknown)
    {
        var reading = RequestValues.Reading(context.Request, IsBpmn(context));
        await JsonResponse.OkAsync(context, IsBpmn(context)
            ? await bpmn.ValidateAsync(await FileAsync(context), reading, context.RequestAborted)
            : engine.ValidateDefinition(await bodies.ReadAsync(context, CommandBodies.Definition)));
    }

    private static bool IsBpmn(HttpContext context) => XmlOf(context) is not null;

    private static string? XmlOf(HttpContext context) =>
        Array.Find(RequestBody.Xml, type => RequestBody.Is(type, context.Request.ContentType));

    private ValueTask<byte[]> FileAsync(HttpContext context) =>
        bodies.ReadAsync(context, static body => body.ToArray(), XmlOf(context)!);

    // The parameters are declared for the description alone; the request is read once, by RequestValues.
    private Task ListAsync(HttpContext context, string? name, string? after, string? limit)
    {
        var query = RequestValues.Definitions(context.Request.Query);
        var found = engine.ListDefinitions().Where(query.Holds).Take(query.Limit + 1).ToList();
        if (found.Count > query.Limit)
        {
            found.RemoveAt(query.Limit);
            context.Response.Headers.Link = $"<{query.Next(found[^1])}>; rel=\"next\"";
        }

        return JsonResponse.OkAsync(context, found);
    }

    private Task NewestAsync(HttpContext context, string name) => WriteAsync(context, engine.GetDefinition(name));

    private Task VersionAsync(HttpContext context, string name, string version) =>
        WriteAsync(context, engine.GetDefinition(name, RequestValues.Version(version)));

    private static Task WriteAsync(HttpContext context, string json) => EntityTag.IsKnown(context, EntityTag.Of(json))
        ? Task.CompletedTask
        : JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, JsonResponse.ContentType, json);

    // The parameter is declared for the description alone.
    private async Task CodeAsync(HttpContext context, string name, string? version)
    {
        RequestValues.OnlyKnown(context.Request.Query, "version");
        var json = engine.GetDefinition(name, RequestValues.OptionalVersion(context.Request.Query));
        var code = await _writing.RunAsync(
            () => DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(json)), context.RequestAborted);
        await JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, "text/plain; charset=utf-8", code);
    }
}
