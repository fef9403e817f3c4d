using Workflow.Client.Json;

namespace Workflow.Client.Api;

/// <summary>The routes, called by RestEase.</summary>
internal static class WorkflowApi
{
    public static IWorkflowApi Over(HttpClient http) =>
        new RestClient(http) { RequestBodySerializer = new ContractsBodySerializer(), ResponseDeserializer = new ContractsDeserializer() }.For<IWorkflowApi>();

    public static WorkflowApiException ErrorOf(ApiException e) => ProblemReader.Read(e.StatusCode, e.Content, $"{e.RequestMethod} {e.RequestUri}", e);
}
