namespace UnitTests.Workflow.Client;

/// <summary>Gives prepared answers in order and keeps what was asked.</summary>
internal sealed class CannedHandler : HttpMessageHandler
{
    private readonly ConcurrentQueue<Func<CancellationToken, Task<HttpResponseMessage>>> _answers = new();

    public ConcurrentQueue<Asked> Requests { get; } = new();

    public CannedHandler Answer(HttpStatusCode status, string body, string contentType = "application/json") =>
        Answer(() => new HttpResponseMessage(status) { Content = new StringContent(body, Encoding.UTF8, contentType) });

    public CannedHandler Answer(Func<HttpResponseMessage> answer) => Answer(_ => Task.FromResult(answer()));

    /// <param name="answer">Until it ends or the client gives up, the request has no answer.</param>
    public CannedHandler Answer(Func<CancellationToken, Task<HttpResponseMessage>> answer)
    {
        _answers.Enqueue(answer);
        return this;
    }

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var body = request.Content is null ? null : await request.Content.ReadAsStringAsync(cancellationToken);
        var headers = request.Headers.ToDictionary(h => h.Key, h => string.Join(',', h.Value));
        Requests.Enqueue(new Asked(
            request.Method.Method, request.RequestUri!.PathAndQuery, body,
            request.Content?.Headers.ContentType?.MediaType, headers));
        var response = _answers.TryDequeue(out var answer)
            ? await answer(cancellationToken)
            : throw new HttpRequestException("No answer is left.");
        response.RequestMessage = request;
        return response;
    }

    internal sealed record Asked(
        string Method, string Path, string? Body, string? ContentType, IReadOnlyDictionary<string, string> Headers);
}
