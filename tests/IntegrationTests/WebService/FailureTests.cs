using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Configuration;
using Workflow.WebService.Hosting;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class FailureTests
{
    public static TheoryData<string> Failures =>
        new("overloaded", "store-unavailable", "engine-stopped", "command-rejected");

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task Engine_failure_has_its_status_and_retry_time(string code)
    {
        var (failure, status) = Failure(code);
        await using var app = await StartAsync(() => failure);
        using var http = Http(app);

        foreach (var (path, body) in new[]
        {
            ("/instances", """{"definition":"d"}"""), ("/signals", """{"name":"s","correlationKey":"k"}"""),
        })
        {
            using var response = await http.PostAsync(path, body, Cancel);
            var named = code == "store-unavailable" ? "trace id" : failure.Message;
            var problem = await Answer.IsProblemAsync(response, status, code, named);
            Assert.DoesNotContain(
                "db-4711", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
            Assert.Equal(status is 429 or 503, response.Headers.RetryAfter is not null);
            Assert.Equal(code == "store-unavailable",
                problem.TryGetProperty("outcomeUnknown", out var unknown) && unknown.GetBoolean());
        }
    }

    [Fact]
    public async Task Overload_is_answered_with_the_time_to_retry_after()
    {
        await using var app = await StartAsync(() => new OverloadedException(10, 10, TimeSpan.FromMilliseconds(200)));
        using var http = Http(app);

        using var response = await http.PostAsync("/instances", """{"definition":"d"}""", Cancel);

        var problem = await Answer.IsProblemAsync(response, 429, "overloaded");
        Assert.Equal(TimeSpan.FromSeconds(1), response.Headers.RetryAfter?.Delta);
        Assert.Equal(0.2, problem.GetProperty("retryAfterSeconds").GetDouble());
    }

    [Theory]
    [InlineData("GET", "/instances")]
    [InlineData("GET", "/definitions")]
    [InlineData("GET", "/metrics")]
    [InlineData("GET", "/events")]
    [InlineData("POST", "/instances")]
    public async Task Unexpected_error_is_answered_with_a_trace_id_only(string method, string path)
    {
        await using var app = await StartAsync(() => new InvalidOperationException("inside: secret-4711"));
        using var http = Http(app);
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        request.Content = method == "POST" ? Answer.Json("""{"definition":"d"}""") : null;

        using var response = await http.SendAsync(request, Cancel);

        var problem = await Answer.IsProblemAsync(response, 500, "internal-error", "trace id");
        Assert.Contains(problem.GetProperty("traceId").GetString()!, problem.GetProperty("detail").GetString(),
            StringComparison.Ordinal);
        Assert.DoesNotContain("4711", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Service_whose_store_does_not_answer_is_alive_but_not_ready()
    {
        await using var app = await StartAsync(() =>
            new StoreUnavailableException("The store at 127.0.0.1:1 cannot be reached.", outcomeUnknown: false));
        using var http = Http(app);

        using var ready = await http.GetAsync(new Uri("/health/ready", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(ready, 503, "not-ready", "The store cannot be read");
        Assert.DoesNotContain("127.0.0.1", await ready.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        Assert.Equal(
            """{"status":"live"}""", await http.GetStringAsync(new Uri("/health/live", UriKind.Relative), Cancel));
    }

    private static (Exception Failure, int Status) Failure(string code) => code switch
    {
        "overloaded" => (new OverloadedException(10, 10, TimeSpan.FromSeconds(2)), 429),
        "store-unavailable" =>
            (new StoreUnavailableException("The store went away: host=db-4711, user=me.", outcomeUnknown: true), 503),
        "engine-stopped" => (new EngineStoppedException("a start"), 503),
        _ => (new CommandRejectedException("The store refused the start: 22021.", new InvalidDataException()), 422),
    };

    private static Task<WebApplication> StartAsync(Func<Exception> failure) =>
        StartAsync(ScriptedEngine.Failing(failure));

    internal static async Task<WebApplication> StartAsync(IWorkflowEngine engine)
    {
        var builder = WebApp.CreateBuilder(["--urls", "http://127.0.0.1:0"]);
        builder.Logging.ClearProviders();
        var app = WebApp.Build(builder, new ServiceSettings(), _ => engine);
        await app.StartAsync(Cancel);
        return app;
    }

    internal static HttpClient Http(WebApplication app) => new() { BaseAddress = new Uri(app.Urls.First()) };
}
