using System.Net.Http.Headers;
using Workflow.Contracts;

namespace Workflow.Client;

internal static class JsonBody
{
    private static readonly MediaTypeHeaderValue Json = new("application/json");

    /// <summary>Bytes with a length rather than JsonContent, which sends chunks.</summary>
    public static HttpContent Of<T>(T body)
    {
        var content = new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(body, ContractsJson.Default));
        content.Headers.ContentType = Json;
        return content;
    }

    public static T Read<T>(string json) => JsonSerializer.Deserialize<T>(json, ContractsJson.Default)
        ?? throw new JsonException($"The answer is the JSON text null where a {typeof(T).Name} was expected.");
}
