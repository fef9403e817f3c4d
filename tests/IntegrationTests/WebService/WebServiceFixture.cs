using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;

namespace IntegrationTests.WebService;

/// <summary>One web service on the memory store for the tests that only ask it.</summary>
public sealed class WebServiceFixture : IAsyncLifetime
{
    private WebServiceProcess? _service;
    private HttpClient? _http;

    public WebServiceProcess Service => _service ?? throw new InvalidOperationException("The fixture is not initialised.");
    public WorkflowClient Client => Service.Client;

    /// <summary>For requests that the typed client would not send.</summary>
    public HttpClient Http => _http ?? throw new InvalidOperationException("The fixture is not initialised.");

    public async ValueTask InitializeAsync()
    {
        var options = new WebServiceOptions { Settings = new Dictionary<string, string> { ["SignalReceivers:0"] = "burst" } };
        _service = await WebServiceProcess.StartAsync(options, Cancel);
        _http = new HttpClient { BaseAddress = _service.BaseAddress };
    }

    public async ValueTask DisposeAsync()
    {
        _http?.Dispose();
        if (_service is not null)
        {
            await _service.DisposeAsync();
        }
    }
}

/// <summary>Definitions that the tests register, each under a name of its own.</summary>
internal static class SampleDefinitions
{
    public static string NewName(string prefix = "sample") => $"{prefix}-{Guid.NewGuid():N}";

    /// <summary>Registers a definition under a name of its own, and returns that.</summary>
    public static async Task<string> RegisterNewAsync(this WorkflowClient client, Func<string, string> definition)
    {
        var name = NewName();
        await client.RegisterDefinitionAsync(definition(name), Cancel);
        return name;
    }

    /// <summary>Runs to its end within the start.</summary>
    public static string Linear(string name, int version = 1, string total = "= price * quantity") => $$"""
        { "name": "{{name}}", "version": {{version}}, "start": "sum", "steps": {
          "sum": { "type": "set", "values": { "total": "{{total}}" }, "next": "done" },
          "done": { "type": "end", "output": { "total": "= total" } } } }
        """;

    /// <summary>Waits for the signal <c>resume</c>, raises an event, and ends with what it carried.</summary>
    public static string Waiting(string name) => $$"""
        { "name": "{{name}}", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "result": "answer", "next": "tell" },
          "tell": { "type": "raise", "event": "Resumed", "payload": { "key": "= key" }, "next": "done" },
          "done": { "type": "end", "output": { "answer": "= answer" } } } }
        """;

    /// <summary>A single step of the given JSON, reached from the start and followed by the end.</summary>
    public static string Step(string name, string step) => $$"""
        { "name": "{{name}}", "version": 1, "start": "step", "steps": { "step": {{step}}, "done": { "type": "end" } } }
        """;
}

/// <summary>A server of a test's own, on a free port of this machine.</summary>
internal static class LocalServer
{
    public static async Task<WebApplication> StartAsync(Action<WebApplication> map)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        map(app);
        await app.StartAsync(Cancel);
        return app;
    }
}

/// <summary>Requests as bytes on the wire, and what must be true of every answer that is an error.</summary>
internal static class Answer
{
    public static StringContent Json(string text) => new(text, Encoding.UTF8, "application/json");

    public static Task<HttpResponseMessage> PostAsync(
        this HttpClient http, string path, string json, CancellationToken cancellationToken) =>
        http.PostAsync(path, Json(json), cancellationToken);

    /// <summary>A figure of a service's metrics.</summary>
    public static async Task<double> MetricAsync(this HttpClient http, Uri service, string name)
    {
        var page = await http.GetStringAsync(new Uri(service, "metrics"), Cancel);
        var line = page.Split('\n').Single(l => l.StartsWith(name + " ", StringComparison.Ordinal));
        return double.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture);
    }

    /// <summary>Checks status, media type and code, and that the detail names what it must.</summary>
    public static async Task<JsonElement> IsProblemAsync(HttpResponseMessage response, int status, string code, params string[] named)
    {
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True((HttpStatusCode)status == response.StatusCode, $"Expected {status} {code}, got {(int)response.StatusCode}: {text}");
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        using var document = JsonDocument.Parse(text);
        var problem = document.RootElement.Clone();
        Assert.Equal("urn:workflow:" + code, problem.GetProperty("type").GetString());
        Assert.Equal(status, problem.GetProperty("status").GetInt32());
        Assert.NotEmpty(problem.GetProperty("title").GetString()!);
        var detail = problem.GetProperty("detail").GetString()!;
        Assert.All(named, part => Assert.Contains(part, detail, StringComparison.Ordinal));
        return problem;
    }
}
