using System.Net.Http.Headers;
using System.Text.Json;
using Workflow.Contracts;

namespace Workflow.Client.Json;

/// <summary>Bodies by the rules of the contracts.</summary>
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
}
