namespace Workflow.Client;

internal static class WorkflowApi
{
    public static IWorkflowApi Over(HttpClient http) =>
        new RestClient(http) { RequestBodySerializer = new BodySerializer(), ResponseDeserializer = new AnswerDeserializer() }
            .For<IWorkflowApi>();

    public static WorkflowApiException ErrorOf(ApiException e) =>
        ProblemReader.Read(e.StatusCode, e.Content, $"{e.RequestMethod} {e.RequestUri}", e);

    private sealed class BodySerializer : RequestBodySerializer
    {
        public override HttpContent? SerializeBody<T>(T body, RequestBodySerializerInfo info) => JsonBody.Of(body);
    }

    private sealed class AnswerDeserializer : ResponseDeserializer
    {
        public override T Deserialize<T>(string? content, HttpResponseMessage response, ResponseDeserializerInfo info) =>
            JsonBody.Read<T>(content ?? "");
    }
}
