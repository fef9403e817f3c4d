using System.Net.Http.Headers;
using System.Text.Json;
using RestEase;
using Workflow.Contracts;

namespace Workflow.Client.Json;

/// <summary>Writes bodies by the rules of the contracts.</summary>
internal sealed class ContractsBodySerializer : RequestBodySerializer
{
    private static readonly MediaTypeHeaderValue Json = new("application/json");

    public override HttpContent? SerializeBody<T>(T body, RequestBodySerializerInfo info)
    {
        // Bytes with a length rather than JsonContent, which sends chunks.
        var content = new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(body, ContractsJson.Default));
        content.Headers.ContentType = Json;
        return content;
    }
}
