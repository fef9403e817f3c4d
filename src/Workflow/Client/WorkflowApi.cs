using System.Reflection;

namespace Workflow.Client;

/// <summary>
/// Makes <see cref="IWorkflowApi"/> over an <see cref="HttpClient"/>, with the JSON of the contracts.
/// </summary>
internal static class WorkflowApi
{
    private static readonly RefitSettings Settings = new(new ContractsSerializer())
    {
        // Unreadable answers and transport errors are thrown as they are: ApiException means that the service answered
        // with an error.
        DeserializationExceptionFactory = (_, exception) => ValueTask.FromResult<Exception?>(exception),
        TransportExceptionFactory = (_, exception, _) => exception,
    };

    public static IWorkflowApi Over(HttpClient http) => RestService.For<IWorkflowApi>(http, Settings);

    public static WorkflowApiException ErrorOf(ApiException e) =>
        ProblemReader.Read(e.StatusCode, e.Content, $"{e.HttpMethod} {e.Uri}", e);

    private sealed class ContractsSerializer : IHttpContentSerializer
    {
        public HttpContent ToHttpContent<T>(T item) => JsonBody.Of(item);

        public async Task<T?> FromHttpContentAsync<T>(
            HttpContent content, CancellationToken cancellationToken = default) =>
            JsonBody.Read<T>(await content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false));

        /// <summary>Names of form fields; the client sends no forms.</summary>
        public string? GetFieldNameForProperty(PropertyInfo propertyInfo) => null;
    }
}
