using System.Reflection;

namespace Workflow.Client;

internal static class WorkflowApi
{
    /// <exception cref="ArgumentException">The base address has a path that ends with a slash, which Refit would double.</exception>
    public static IWorkflowApi Over(HttpClient http)
    {
        if (http.BaseAddress is { AbsolutePath.Length: > 1 } address && address.AbsolutePath.EndsWith('/'))
        {
            throw new ArgumentException($"The base address {address} ends with a slash after a path; leave that slash out.", nameof(http));
        }

        return RestService.For<IWorkflowApi>(http, new RefitSettings(new ContractsSerializer())
        {
            // As it is, and not inside an ApiException: that is for errors which the service answered.
            DeserializationExceptionFactory = (_, exception) => Task.FromResult<Exception?>(exception),
        });
    }

    public static WorkflowApiException ErrorOf(ApiException e) => ProblemReader.Read(e.StatusCode, e.Content, $"{e.HttpMethod} {e.Uri}", e);
}

/// <summary>Writes bodies and reads answers by the rules of the contracts.</summary>
internal sealed class ContractsSerializer : IHttpContentSerializer
{
    public HttpContent ToHttpContent<T>(T item) => JsonBody.Of(item);

    public async Task<T?> FromHttpContentAsync<T>(HttpContent content, CancellationToken cancellationToken = default) =>
        JsonBody.Read<T>(await content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false));

    /// <summary>No form is ever sent.</summary>
    public string? GetFieldNameForProperty(PropertyInfo propertyInfo) => null;
}

/// <summary>Nothing to Refit, which finds the parameters of a path by their names; RestEase has one of its own.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
internal sealed class PathAttribute : Attribute;
