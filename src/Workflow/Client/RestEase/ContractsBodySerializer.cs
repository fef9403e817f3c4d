using Workflow.Client.Json;

namespace Workflow.Client.Api;

/// <summary>Writes bodies by the rules of the contracts.</summary>
internal sealed class ContractsBodySerializer : RequestBodySerializer
{
    public override HttpContent? SerializeBody<T>(T body, RequestBodySerializerInfo info) => JsonBody.Of(body);
}
