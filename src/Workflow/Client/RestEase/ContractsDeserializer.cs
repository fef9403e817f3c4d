using System.Text.Json;
using Workflow.Contracts;

namespace Workflow.Client.Api;

/// <summary>Reads answers by the rules of the contracts.</summary>
internal sealed class ContractsDeserializer : ResponseDeserializer
{
    public override T Deserialize<T>(string? content, HttpResponseMessage response, ResponseDeserializerInfo info) =>
        JsonSerializer.Deserialize<T>(content ?? "", ContractsJson.Default)
        ?? throw new JsonException($"{response.RequestMessage?.RequestUri} answered the JSON text null where a {typeof(T).Name} was expected.");
}
