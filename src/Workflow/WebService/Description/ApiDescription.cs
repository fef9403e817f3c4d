using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.OpenApi;
using Workflow.Contracts;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Description;

/// <summary>The OpenAPI description: title, the header of the access keys, and an example of every body.</summary>
internal static class ApiDescription
{
    /// <summary>The address of the description.</summary>
    public const string Address = "/openapi/v1.json";

    private const string KeyScheme = "accessKey";
    private static readonly IDictionary<string, OpenApiMediaType> None = new Dictionary<string, OpenApiMediaType>();

    public static void Configure(OpenApiOptions description, ServiceSettings settings)
    {
        description.AddDocumentTransformer((document, _, _) =>
        {
            document.Info.Title = "Workflow engine";
            if (settings.AccessKeys.AreRequired)
            {
                RequireKey(document);
            }

            return Task.CompletedTask;
        });
        description.AddSchemaTransformer((schema, context, _) =>
        {
            // An answer leaves out what is null, so a client cannot rely on it.
            foreach (var member in context.JsonTypeInfo.Properties.Where(member => member.IsGetNullable))
            {
                schema.Required?.Remove(member.Name);
            }

            return Task.CompletedTask;
        });
        description.AddOperationTransformer((operation, context, _) =>
        {
            AddExamples(operation, context);
            return Task.CompletedTask;
        });
    }

    private static void RequireKey(OpenApiDocument document)
    {
        document.AddComponent(KeyScheme, new OpenApiSecurityScheme
        {
            Type = SecuritySchemeType.ApiKey, In = ParameterLocation.Header, Name = ContractsHttp.KeyHeader,
            Description = "One of the service's keys (Access:Keys). A key with read: allows GET and HEAD.",
        });
        document.Security = [new() { [new OpenApiSecuritySchemeReference(KeyScheme, document)] = [] }];
    }

    private static void AddExamples(OpenApiOperation operation, OpenApiOperationTransformerContext context)
    {
        var description = context.Description;
        var path = $"/{description.RelativePath}";
        var accepts = description.ActionDescriptor.EndpointMetadata.OfType<IAcceptsMetadata>().LastOrDefault();
        foreach (var (mediaType, content) in operation.RequestBody?.Content ?? None)
        {
            content.Example = ApiExamples.OfRequest(accepts?.RequestType, mediaType);
        }

        foreach (var response in description.SupportedResponseTypes)
        {
            var answer = operation.Responses?.GetValueOrDefault($"{response.StatusCode}");
            foreach (var (mediaType, content) in answer?.Content ?? None)
            {
                content.Example = response.StatusCode < StatusCodes.Status400BadRequest
                    ? ApiExamples.OfResponse(path, response.Type, mediaType)
                    : ProblemExamples.Of(description.HttpMethod, path, response.StatusCode);
                if (content.Example is JsonObject && response.Type == typeof(string))
                {
                    // A route that answers several media types declares one type for all of them.
                    content.Schema = new OpenApiSchema { Type = JsonSchemaType.Object };
                }
            }
        }
    }
}
