using Workflow.Abstractions;
using Workflow.Contracts.Definitions;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class DefinitionEndpoints(IWorkflowEngine engine, RequestBody bodies)
{
    public void Map(RouteMap routes)
    {
        routes.Post("/definitions", RegisterAsync,
            "Registers a definition (canonical JSON). 201 when it is new, 200 when the same content was there.")
            .Accepts<object>("application/json").Produces<DefinitionInfo>(201).Produces<DefinitionInfo>().ProducesProblems(400, 409, 422);
        routes.Post("/definitions/validate", ValidateAsync, "Checks a definition without registering it.")
            .Accepts<object>("application/json").Produces<DefinitionValidation>().ProducesProblem(400);
        routes.Get("/definitions", ListAsync, "Every definition, by name and version.").Produces<IReadOnlyList<DefinitionInfo>>();
        routes.Get("/definitions/{name}", NewestAsync, "The newest version of a definition.").Produces<object>().ProducesProblem(404);
        routes.Get("/definitions/{name}/versions/{version}", VersionAsync, "One version of a definition.").Produces<object>()
            .ProducesProblem(404);
    }

    private async Task RegisterAsync(HttpContext context)
    {
        var json = await bodies.ReadAsync(context, CommandBodies.Definition);
        var (definition, created) = await engine.RegisterDefinitionAsync(json, context.RequestAborted);
        context.Response.Headers.Location = $"/definitions/{Uri.EscapeDataString(definition.Name)}/versions/{definition.Version}";
        await JsonResponse.WriteAsync(context, created ? StatusCodes.Status201Created : StatusCodes.Status200OK, definition);
    }

    private async Task ValidateAsync(HttpContext context)
    {
        var json = await bodies.ReadAsync(context, CommandBodies.Definition);
        await JsonResponse.OkAsync(context, engine.ValidateDefinition(json));
    }

    private Task ListAsync(HttpContext context) => JsonResponse.OkAsync(context, engine.ListDefinitions());

    private Task NewestAsync(HttpContext context, string name) =>
        JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, JsonResponse.ContentType, engine.GetDefinition(name));

    private Task VersionAsync(HttpContext context, string name, string version) =>
        JsonResponse.WriteTextAsync(
            context, StatusCodes.Status200OK, JsonResponse.ContentType, engine.GetDefinition(name, RequestValues.Version(version)));
}
