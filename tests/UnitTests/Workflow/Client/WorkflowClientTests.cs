using System.Net.Sockets;
using Workflow.Client;
using Workflow.Contracts.Signals;

namespace UnitTests.Workflow.Client;

public sealed class WorkflowClientTests
{
    private const string InstanceJson = """
        {"id":"01890a5d-ac96-774b-bcce-b302099a8057","definition":"order","version":2,"state":"waiting","variables":{"a":1},
         "waits":[{"step":"wait","kind":"signal","name":"resume","correlationKey":"k"}],"createdUtc":"2026-03-17T10:00:00Z","updatedUtc":"2026-03-17T10:00:01Z"}
        """;

    private static readonly Guid Id = Guid.Parse("01890a5d-ac96-774b-bcce-b302099a8057");

    [Fact]
    public async Task Start_sends_the_contract_and_the_idempotency_key()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.Created, $$"""{"id":"{{Id}}","definition":"order","version":2,"state":"waiting","duplicate":true}""");
        using var client = Client(handler);

        var started = await client.StartAsync(
            new StartInstance { Definition = "order", Input = JsonSerializer.SerializeToElement(new { a = 1 }),
                CorrelationKey = "k" },
            "once", Cancel);

        Assert.Equal(new InstanceStarted(Id, "order", 2, InstanceState.Waiting, true), started);
        var asked = Assert.Single(handler.Requests);
        Assert.Equal(("POST", "/instances", "application/json", "once"),
            (asked.Method, asked.Path, asked.ContentType, asked.Headers["Idempotency-Key"]));
        Assert.Equal("""{"definition":"order","input":{"a":1},"correlationKey":"k"}""", asked.Body);
    }

    [Fact]
    public async Task Without_a_key_no_header_is_sent()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.Accepted, $$"""{"id":"{{Id}}","delivered":true,"duplicate":false}""");
        using var client = Client(handler);

        var accepted =
            await client.SignalInstanceAsync(Id, new SendInstanceSignal { Name = "resume" }, cancellationToken: Cancel);

        Assert.True(accepted.Delivered);
        var asked = Assert.Single(handler.Requests);
        Assert.Equal($"/instances/{Id}/signals", asked.Path);
        Assert.DoesNotContain("Idempotency-Key", asked.Headers.Keys);
    }

    [Fact]
    public async Task Suspend_resume_and_retry_are_posted_to_the_instance()
    {
        var suspended = $$"""{"id":"{{Id}}","state":"suspended","duplicate":true}""";
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.OK, suspended).Answer(HttpStatusCode.OK, suspended)
            .Answer(HttpStatusCode.OK, suspended);
        using var client = Client(handler);

        Assert.Equal(new(Id, InstanceState.Suspended, Duplicate: true),
            await client.SuspendAsync(Id, cancellationToken: Cancel));
        await client.ResumeAsync(Id, cancellationToken: Cancel);
        await client.RetryAsync(Id, JsonSerializer.SerializeToElement(new { a = 1 }), "once", Cancel);

        Assert.Equal(
            [$"POST /instances/{Id}/suspend", $"POST /instances/{Id}/resume", $"POST /instances/{Id}/retry"],
            handler.Requests.Select(r => $"{r.Method} {r.Path}"));
        var retry = handler.Requests.Last();
        Assert.Equal(("once", """{"variables":{"a":1}}"""), (retry.Headers["Idempotency-Key"], retry.Body));
    }

    [Fact]
    public async Task Queries_are_escaped_and_absent_ones_left_out()
    {
        using var handler =
            new CannedHandler().Answer(HttpStatusCode.OK, $$"""{"items":[{{InstanceJson}}],"next":"{{Id}}"}""");
        using var client = Client(handler);

        var list = await client.ListInstancesAsync(
            state: InstanceState.Waiting, correlationKey: "a&b=ü", limit: 5,
            startedFrom: new(2026, 3, 4, 5, 6, 7, TimeSpan.FromHours(1)), cancellationToken: Cancel);

        Assert.Equal(
            "/instances?state=waiting&correlationKey=a%26b%3D%C3%BC&limit=5&startedFrom=2026-03-04T04%3A06%3A07Z",
            Assert.Single(handler.Requests).Path);
        Assert.Equal(Id, list.Next);
        Assert.Equal("resume", Assert.Single(Assert.Single(list.Items).Waits).Name);
    }

    [Fact]
    public async Task Path_values_are_escaped()
    {
        using var handler =
            new CannedHandler().Answer(HttpStatusCode.OK, "{}").Answer(HttpStatusCode.OK, """{"version":3}""");
        using var client = Client(handler);

        await client.GetDefinitionAsync("a/b", cancellationToken: Cancel);
        var third = await client.GetDefinitionAsync("a b", 3, Cancel);

        Assert.Equal(["/definitions/a%2Fb", "/definitions/a%20b/versions/3"], handler.Requests.Select(r => r.Path));
        Assert.Equal("""{"version":3}""", third);
    }

    [Theory]
    [InlineData("http://service.test/"), InlineData("http://service.test/base")]
    public async Task Routes_follow_the_path_of_the_base_address(string baseAddress)
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK, "[]");
        using var client = new WorkflowClient(new HttpClient(handler) { BaseAddress = new Uri(baseAddress) });

        await client.ListDefinitionsAsync(Cancel);

        Assert.Equal($"{new Uri(baseAddress).AbsolutePath.TrimEnd('/')}/definitions",
            Assert.Single(handler.Requests).Path);
    }

    [Fact]
    public async Task Problem_becomes_an_exception_with_everything_it_says()
    {
        using var handler = new CannedHandler().Answer(
            HttpStatusCode.BadRequest,
            """{"type":"urn:workflow:definition-invalid","title":"Definition invalid","status":400,"detail":"It has errors.","errors":[{"path":"steps.a","message":"no such step","column":3}]}""",
            "application/problem+json");
        using var client = Client(handler);

        var error = await Assert.ThrowsAsync<WorkflowApiException>(() => client.RegisterDefinitionAsync("{}", Cancel));

        Assert.Equal((HttpStatusCode.BadRequest, "definition-invalid", "It has errors."),
            (error.Status, error.Code, error.Detail));
        var problem = Assert.Single(error.Errors);
        Assert.Equal(("steps.a", "no such step", 3), (problem.Path, problem.Message, problem.Column));
        Assert.Equal("400 definition-invalid: It has errors. steps.a, column 3: no such step", error.Message);
    }

    [Fact]
    public async Task Unknown_outcome_and_time_to_retry_reach_the_caller()
    {
        using var handler = new CannedHandler().Answer(
            HttpStatusCode.ServiceUnavailable,
            """{"type":"urn:workflow:store-unavailable","status":503,"detail":"gone","outcomeUnknown":true,"retryAfterSeconds":1.5,"traceId":"t"}""",
            "application/problem+json");
        using var client = Client(handler);

        var error = await Assert.ThrowsAsync<WorkflowApiException>(
            () => client.SignalAsync(
                new SendSignal { Name = "resume", CorrelationKey = "k" }, cancellationToken: Cancel));

        Assert.True(error.OutcomeUnknown);
        Assert.Equal(TimeSpan.FromSeconds(1.5), error.RetryAfter);
        Assert.Equal("t", error.TraceId);
    }

    [Theory]
    [InlineData("<html>bad gateway</html>"), InlineData(""), InlineData("[1]")]
    [InlineData("""{"status":502}"""), InlineData("""{"type":"\ud800"}""")]
    public async Task Foreign_error_is_quoted(string body)
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.BadGateway, body, "text/html");
        using var client = Client(handler);

        var error = await Assert.ThrowsAsync<WorkflowApiException>(() => client.ListDefinitionsAsync(Cancel));

        Assert.Equal((HttpStatusCode.BadGateway, "not-a-problem"), (error.Status, error.Code));
        AssertHolds(error.Detail, $"'{body}'", "GET");
    }

    [Theory]
    [InlineData("\"60\""), InlineData("null"), InlineData("-1"), InlineData("1e300"), InlineData("1e999")]
    public async Task Invalid_retry_time_of_another_service_is_left_out(string seconds)
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.BadGateway,
            $$"""{"type":"about:blank","detail":"elsewhere","retryAfterSeconds":{{seconds}}}""",
            "application/problem+json");
        using var client = Client(handler);

        var error = await Assert.ThrowsAsync<WorkflowApiException>(() => client.ListDefinitionsAsync(Cancel));

        Assert.Equal((HttpStatusCode.BadGateway, "about:blank", "elsewhere"), (error.Status, error.Code, error.Detail));
        Assert.Null(error.RetryAfter);
    }

    [Fact]
    public async Task Connection_reset_at_once_brings_no_answer()
    {
        using var handler = new CannedHandler().Answer(() => throw new SocketException((int)SocketError.NotConnected));
        using var client =
            new WorkflowClient(new HttpClient(handler) { BaseAddress = new Uri("http://service.test/") });

        var error = await Assert.ThrowsAsync<HttpRequestException>(() => client.ListDefinitionsAsync(Cancel));

        Assert.Equal(HttpRequestError.ConnectionError, error.HttpRequestError);
    }

    [Fact]
    public async Task Late_answer_is_a_timeout_and_not_a_cancellation()
    {
        using var handler = new CannedHandler().Answer(NeverAsync).Answer(NeverAsync);
        using var client = new WorkflowClient(new HttpClient(handler)
        {
            BaseAddress = new Uri("http://service.test/"), Timeout = TimeSpan.FromMilliseconds(1),
        });

        var error = await Assert.ThrowsAsync<HttpRequestException>(() => client.ListDefinitionsAsync(Cancel));
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => client.ListDefinitionsAsync(end.Token));

        Assert.IsType<TaskCanceledException>(error.InnerException);

        static async Task<HttpResponseMessage> NeverAsync(CancellationToken token)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return new HttpResponseMessage();
        }
    }

    [Fact]
    public async Task Only_a_missing_instance_is_null()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.NotFound,
                """{"type":"urn:workflow:instance-not-found","status":404,"detail":"none"}""",
                "application/problem+json")
            .Answer(HttpStatusCode.NotFound, """{"type":"urn:workflow:route-not-found","status":404,"detail":"none"}""",
                "application/problem+json")
            .Answer(HttpStatusCode.OK, InstanceJson);
        using var client = Client(handler);

        Assert.Null(await client.FindInstanceAsync(Id, Cancel));
        await Assert.ThrowsAsync<WorkflowApiException>(() => client.FindInstanceAsync(Id, Cancel));
        Assert.Equal(InstanceState.Waiting, (await client.FindInstanceAsync(Id, Cancel))?.State);
    }

    private static WorkflowClient Client(CannedHandler handler) =>
        new(new HttpClient(handler) { BaseAddress = new Uri("http://service.test/") });
}
