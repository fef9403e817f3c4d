using Workflow.Client.Json;

namespace Workflow.Client.Api;

/// <summary>The routes, called by Refit.</summary>
internal static class WorkflowApi
{
    public static IWorkflowApi Over(HttpClient http) => RestService.For<IWorkflowApi>(http, new RefitSettings(new ContractsSerializer())
    {
        // As it is, and not inside an ApiException: that is for errors which the service answered.
        DeserializationExceptionFactory = (_, exception) => Task.FromResult<Exception?>(exception),
    });

    public static WorkflowApiException ErrorOf(ApiException e) => ProblemReader.Read(e.StatusCode, e.Content, $"{e.HttpMethod} {e.Uri}", e);
}
