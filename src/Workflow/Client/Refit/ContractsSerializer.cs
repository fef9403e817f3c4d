using System.Reflection;
using System.Text.Json;
using Workflow.Client.Json;
using Workflow.Contracts;

namespace Workflow.Client.Api;

/// <summary>Writes bodies and reads answers by the rules of the contracts.</summary>
internal sealed class ContractsSerializer : IHttpContentSerializer
{
    public HttpContent ToHttpContent<T>(T item) => JsonBody.Of(item);

    public async Task<T?> FromHttpContentAsync<T>(HttpContent content, CancellationToken cancellationToken = default)
    {
        var body = await content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false);
        return JsonSerializer.Deserialize<T>(body, ContractsJson.Default)
            ?? throw new JsonException($"The answer is the JSON text null where a {typeof(T).Name} was expected.");
    }

    /// <summary>No form is ever sent.</summary>
    public string? GetFieldNameForProperty(PropertyInfo propertyInfo) => null;
}
